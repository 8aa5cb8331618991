// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sw/network/npy.h"
#include "tests/support/catch.h"

using namespace nearcube;
using network::Shape;
using network::Tensor;

namespace {

/// A file name that is removed again.
struct Scratch {
  std::string path;
  explicit Scratch(const std::string& name)
      : path((std::filesystem::temp_directory_path() / ("nearcube_" + std::to_string(::getpid()) + name))
                 .string()) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  void write(const std::string& content) const { std::ofstream(path, std::ios::binary) << content; }
};

std::string npy(const std::string& dictionary, const std::string& data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += {static_cast<char>(dictionary.size()), '\0'};
  return file + dictionary + data;
}

}  // namespace

TEST_CASE("NPY files come back as they were written") {
  const Scratch file("roundtrip.npy");
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3}, Shape{2, 0, 3}, Shape{1, 2, 3, 4}}) {
    Tensor tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      tensor[i] = std::bit_cast<float>(0x7FC0'0001u + 77u * unsigned(i));
    network::write_npy(file.path, tensor);
    const Tensor back = network::read_npy(file.path);
    CHECK(back.shape() == shape);
    CHECK(network::to_bytes(back) == network::to_bytes(tensor));
    const auto bytes = base::read_file(file.path, "NPY file");
    CHECK((bytes.size() - network::to_bytes(tensor).size()) % 64 == 0);
  }
}

TEST_CASE("NPY headers as other writers space them are read") {
  const Scratch file("spaced.npy");
  file.write(npy("{'shape': (2,1,), 'fortran_order': False,'descr':'<f4'}\n",
                 std::string("\0\0\x80\x3f\0\0\0\x40", 8)));
  const Tensor tensor = network::read_npy(file.path);
  CHECK(tensor.shape() == Shape{2, 1});
  CHECK(tensor[0] == 1.0f);
  CHECK(tensor[1] == 2.0f);
}

TEST_CASE("NPY files that are not what they should be are bad input with a reason") {
  const Scratch file("bad.npy");
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const auto refuses = [&](const std::string& content, const std::string& reason) {
    file.write(content);
    CHECK_THROWS_WITH(network::read_npy(file.path), nearcube::test::contains(reason));
    CHECK_THROWS_AS(network::read_npy(file.path), Error);
  };
  refuses("", "not an NPY file");
  refuses("PNG and so on", "not an NPY file");
  refuses(std::string("\x93NUMPY\x01\x00", 8), "truncated");
  refuses(npy(good, "").substr(0, 20), "truncated");
  refuses(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,4,), }", "1234"),
          "bad.npy: shape 4611686018427387904x4: more elements");
  refuses(npy(good, "1234567"), "truncated or overlong");
  refuses(npy(good, "123456789"), "truncated or overlong");
  refuses(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", "12345678"), "astype");
  refuses(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", "12345678"), "astype");
  refuses(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", "12345678"), "Fortran");
  refuses(npy("{'descr': '<f4', 'fortran_order': False, }", "12345678"), "no 'shape'");
  refuses(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (two,), }", "12345678"), "no number");
  refuses(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, ), }", "12"),
          "more elements");
  CHECK_THROWS_AS(network::read_npy("/nonexistent/x.npy"), Error);
}

TEST_CASE("An NPY file cut anywhere, or with a wrong byte in its header, is bad input or still an array") {
  const Scratch file("whole.npy");
  network::write_npy(file.path, Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  const auto bytes = base::read_file(file.path, "test file");
  const std::string whole(bytes.begin(), bytes.end());
  const Scratch bad("damaged.npy");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    bad.write(whole.substr(0, size));
    CAPTURE(size);
    CHECK_THROWS_AS(network::read_npy(bad.path), Error);
  }
  for (std::size_t at = 0; at < whole.size() - 24; ++at) {
    for (const unsigned flip : {0x01u, 0x10u, 0x80u, 0xFFu}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
      bad.write(damaged);
      CAPTURE(at, flip);
      try {
        // A digit of the shape or a space of the padding: then the elements must still fit.
        const std::int64_t size = network::read_npy(bad.path).size();
        CHECK(size == 6);
      } catch (const Error& error) {
        CHECK(error.status() == ExitStatus::kBadInput);
      }
    }
  }
}
