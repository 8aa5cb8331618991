// SPDX-License-Identifier: Apache-2.0
#include "sw/picture/picture.h"

#include <png.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "sim/base/error.h"
#include "tests/support/catch.h"

using nearcube::picture::Picture;
namespace picture = nearcube::picture;

TEST_CASE("a plane is scaled from its smallest to its largest value") {
  const std::vector<float> plane = {-1.0f, 0.0f, 1.0f, 3.0f};
  const Picture result = picture::from_plane(plane, 2, 2);
  REQUIRE(result.width == 2);
  REQUIRE(result.height == 2);
  REQUIRE(result.grey == std::vector<std::uint8_t>{0, 64, 128, 255});
}

TEST_CASE("values that are no finite numbers are black and do not count") {
  const std::vector<float> plane = {NAN, INFINITY, 2.0f, 4.0f};
  REQUIRE(picture::from_plane(plane, 1, 4).grey == std::vector<std::uint8_t>{0, 0, 0, 255});
  const float big = std::numeric_limits<float>::max();
  REQUIRE(picture::from_plane(std::vector<float>{-big, 0.0f, big}, 1, 3).grey ==
          std::vector<std::uint8_t>{0, 128, 255});
}

TEST_CASE("a plane of one value is black") {
  REQUIRE(picture::from_plane(std::vector<float>{5.0f, 5.0f}, 1, 2).grey == std::vector<std::uint8_t>{0, 0});
}

TEST_CASE("a montage keeps every picture's pixels") {
  const Picture white{1, 2, {255, 255}};
  const Picture black{2, 1, {0, 0}};
  const Picture result = picture::montage({white, black, white}, 2, 1);
  REQUIRE(result.width == 5);
  REQUIRE(result.height == 5);
  REQUIRE(result.at(0, 0) == 255);
  REQUIRE(result.at(0, 1) == 255);
  REQUIRE(result.at(3, 0) == 0);
  REQUIRE(result.at(4, 0) == 0);
  REQUIRE(result.at(0, 3) == 255);
  REQUIRE(result.at(2, 0) == 96);
  REQUIRE(picture::montage({white, black}, 2, 1, 0).at(1, 0) == 0);
  REQUIRE(picture::montage({}, 4, 1).grey.empty());
}

TEST_CASE("a character is two rows, dark to bright, without trailing blanks") {
  REQUIRE(picture::to_text(Picture{3, 3, {0, 255, 0, 0, 255, 0, 0, 0, 128}}) == " @\n  +\n");
}

TEST_CASE("a PNG reads back as written") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("nearcube_picture_" + std::to_string(getpid()) + ".png"))
          .string();
  picture::write_png(picture::enlarged(Picture{2, 1, {7, 200}}, 2), path);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, path.c_str()) != 0);
  image.format = PNG_FORMAT_GRAY;
  std::vector<std::uint8_t> grey(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, grey.data(), 0, nullptr) != 0);
  std::filesystem::remove(path);
  REQUIRE(image.width == 4);
  REQUIRE(image.height == 2);
  REQUIRE(grey == std::vector<std::uint8_t>{7, 7, 200, 200, 7, 7, 200, 200});
}

TEST_CASE("a PNG to a full disk is an error, not a torn file") {
  REQUIRE_THROWS_AS(picture::write_png(Picture{1, 1, {1}}, "/dev/full"), nearcube::Error);
}
