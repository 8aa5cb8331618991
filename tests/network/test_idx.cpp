// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sw/network/idx.h"
#include "tests/support/catch.h"

using namespace nearcube;
using network::FashionMnist;
using network::Shape;

namespace {

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("nearcube_idx_test_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path / name, std::ios::binary) << content;
    return (path / name).string();
  }
  std::string write_gzip(const std::string& name, const std::string& content) const {
    gzFile file = gzopen((path / name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return (path / name).string();
  }
};

std::string idx(const std::vector<unsigned>& shape, const std::string& values, char type = 0x08) {
  std::string file{'\0', '\0', type, static_cast<char>(shape.size())};
  for (const unsigned extent : shape)
    for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(extent >> shift);
  return file + values;
}

}  // namespace

TEST_CASE("IDX files are read, plain and compressed") {
  const Folder folder;
  const std::string content = idx({2, 3}, std::string("\x00\x01\x02\xFD\xFE\xFF", 6));
  for (const std::string& path : {folder.write("plain", content), folder.write_gzip("packed.gz", content)}) {
    const network::ByteArray array = network::read_idx(path);
    CHECK(array.shape == Shape{2, 3});
    CHECK(array.values == std::vector<std::uint8_t>{0, 1, 2, 0xFD, 0xFE, 0xFF});
  }
}

TEST_CASE("IDX files that are not what they should be are bad input with a reason") {
  const Folder folder;
  const auto refuses = [&](const std::string& content, const std::string& reason) {
    CHECK_THROWS_WITH(network::read_idx(folder.write("bad", content)), nearcube::test::contains(reason));
  };
  refuses("", "truncated");
  refuses("hello world", "not an IDX file");
  refuses(idx({2}, "12", 0x0D), "only unsigned bytes");
  refuses(idx({3}, "12"), "truncated");
  refuses(idx({0xFFFF}, "12"), "truncated");
  refuses(idx({2}, "123"), "longer");
  refuses(idx({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "1"), "more elements");
  refuses(idx({0xFFFFFFFF, 16}, "1"), "absurd");
  CHECK_THROWS_WITH(network::read_idx((folder.path / "missing").string()),
                    nearcube::test::contains("cannot read"));
  CHECK_THROWS_WITH(network::read_idx(folder.path.string()), nearcube::test::contains("folder"));

  const std::string path = folder.write_gzip("cut.gz", idx({4096}, std::string(4096, 'x')));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 6);
  CHECK_THROWS_AS(network::read_idx(path), Error);
}

TEST_CASE("An IDX file cut anywhere is bad input, plain or compressed") {
  const Folder folder;
  std::string values(300, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i * i >> 3);
  const std::string content = idx({3, 100}, values);
  for (const std::string& whole : {folder.write("plain", content), folder.write_gzip("packed.gz", content)}) {
    const auto bytes = base::read_file(whole, "test file");
    REQUIRE(network::read_idx(whole).shape == Shape{3, 100});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::string cut =
          folder.write("cut", std::string(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
      CAPTURE(whole, size);
      CHECK_THROWS_AS(network::read_idx(cut), Error);
    }
  }
}

TEST_CASE("A compressed IDX file with a wrong byte is bad input, or the byte does not matter") {
  const Folder folder;
  std::string values(300, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i * i >> 3);
  const std::string whole = folder.write_gzip("packed.gz", idx({3, 100}, values));
  const auto right = network::read_idx(whole);
  const auto bytes = base::read_file(whole, "test file");
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xFFu}) {
      std::string damaged(bytes.begin(), bytes.end());
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
      CAPTURE(at, flip);
      try {
        const auto array = network::read_idx(folder.write("damaged", damaged));
        CHECK(array.shape == right.shape);
        CHECK(array.values == right.values);
      } catch (const Error& error) {
        CHECK(error.status() == ExitStatus::kBadInput);
        ++refused;
      }
    }
  }
  // All but the header's date, flags and system.
  CHECK(refused > 3 * static_cast<int>(bytes.size() - 10));
}

TEST_CASE("Fashion-MNIST: images, labels and their limits") {
  const FashionMnist test(FashionMnist::Part::kTest);
  CHECK(test.size() == 10000);
  // The data set's first test image is an ankle boot (label file of the distribution).
  CHECK(test.label(0) == 9);
  CHECK(std::string(FashionMnist::class_name(9)) == "Ankle boot");
  const network::Tensor two = test.images(0, 2);
  CHECK(two.shape() == Shape{2, 1, 28, 28});
  float largest = 0;
  for (std::int64_t i = 0; i < two.size(); ++i) {
    CHECK(two[i] >= 0.0f);
    largest = std::max(largest, two[i]);
  }
  CHECK(largest == 1.0f);
  const network::Tensor second = test.images(1);
  std::int64_t differences = 0;
  for (std::int64_t i = 0; i < second.size(); ++i) differences += second[i] != two[784 + i];
  CHECK(differences == 0);
  CHECK_NOTHROW(test.images(9999));
  CHECK_THROWS_WITH(test.images(10000), nearcube::test::contains("out of range 0 to 9999"));
  CHECK_THROWS_WITH(test.images(9999, 2), nearcube::test::contains("out of range"));
  CHECK_THROWS_WITH(test.images(-1), nearcube::test::contains("out of range"));
  CHECK_THROWS_WITH(test.images(0, 0), nearcube::test::contains("out of range"));
  CHECK_THROWS_AS(test.label(10000), Error);
}

TEST_CASE("A Fashion-MNIST folder with missing or foreign files says so") {
  const Folder folder;
  CHECK_THROWS_WITH(FashionMnist(FashionMnist::Part::kTest, folder.path.string()),
                    nearcube::test::contains("install the package dataset-fashion-mnist"));
  const std::string images = idx({1, 28, 28}, std::string(784, '\1'));
  folder.write("t10k-images-idx3-ubyte.gz", images);
  folder.write("t10k-labels-idx1-ubyte.gz", idx({2}, "\1\1"));
  CHECK_THROWS_WITH(FashionMnist(FashionMnist::Part::kTest, folder.path.string()),
                    nearcube::test::contains("there are 1 images"));
  folder.write("t10k-labels-idx1-ubyte.gz", idx({1}, "\x0A"));
  CHECK_THROWS_WITH(FashionMnist(FashionMnist::Part::kTest, folder.path.string()),
                    nearcube::test::contains("label 10"));
  folder.write("t10k-labels-idx1-ubyte.gz", idx({1}, "\x09"));
  CHECK(FashionMnist(FashionMnist::Part::kTest, folder.path.string()).label(0) == 9);
  folder.write("t10k-images-idx3-ubyte.gz", idx({1, 27, 28}, std::string(756, '\1')));
  CHECK_THROWS_WITH(FashionMnist(FashionMnist::Part::kTest, folder.path.string()),
                    nearcube::test::contains("28x28"));
}
