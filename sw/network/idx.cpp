// SPDX-License-Identifier: Apache-2.0
#include "sw/network/idx.h"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "sim/base/error.h"

namespace nearcube::network {
namespace {

struct Closer {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

/// Reads exactly `size` bytes; zlib passes files that are not gzip through unchanged.
void read_exactly(gzFile_s* file, void* to, std::uint64_t size, const std::string& path) {
  auto* bytes = static_cast<std::uint8_t*>(to);
  while (size > 0) {
    const unsigned chunk = static_cast<unsigned>(std::min<std::uint64_t>(size, 1u << 24));
    const int got = gzread(file, bytes, chunk);
    if (got < 0) {
      int code = 0;
      bad_input("{}: damaged gzip data ({})", path, gzerror(file, &code));
    }
    if (got == 0) bad_input("{}: truncated IDX file, {} more bytes expected", path, size);
    bytes += got;
    size -= static_cast<unsigned>(got);
  }
}

}  // namespace

ByteArray read_idx(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    bad_input("{}: a folder, pipe or device, not an IDX file", path);
  }
  const std::unique_ptr<gzFile_s, Closer> file(gzopen(path.c_str(), "rb"));
  if (!file) bad_input("{}: cannot read IDX file: {}", path, std::strerror(errno));

  std::array<std::uint8_t, 4> head{};
  read_exactly(file.get(), head.data(), head.size(), path);
  if (head[0] != 0 || head[1] != 0 || head[3] == 0 || head[3] > 8) bad_input("{}: not an IDX file", path);
  if (head[2] != 0x08) bad_input("{}: IDX type 0x{:02x}; only unsigned bytes (0x08) are read", path, head[2]);

  ByteArray array;
  for (int i = 0; i < head[3]; ++i) {
    std::array<std::uint8_t, 4> extent{};
    read_exactly(file.get(), extent.data(), extent.size(), path);
    array.shape.push_back(std::int64_t{extent[0]} << 24 | extent[1] << 16 | extent[2] << 8 | extent[3]);
  }
  const std::int64_t count = element_count(array.shape);
  if (count > std::int64_t{1} << 32)
    bad_input("{}: shape {} is absurd for an IDX file", path, to_string(array.shape));
  // The memory grows with what is really there, so that a doctored header cannot ask for gigabytes.
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t chunk = std::min<std::int64_t>(count - done, 1 << 24);
    array.values.resize(static_cast<std::size_t>(done + chunk));
    read_exactly(file.get(), array.values.data() + done, static_cast<std::uint64_t>(chunk), path);
    done += chunk;
  }
  std::uint8_t more = 0;
  const int rest = gzread(file.get(), &more, 1);
  if (rest > 0) bad_input("{}: longer than its shape {}", path, to_string(array.shape));
  int code = Z_OK;
  const char* reason = gzerror(file.get(), &code);
  if (rest < 0 || code != Z_OK) bad_input("{}: damaged gzip data ({})", path, reason);
  return array;
}

std::string fashion_mnist_directory() {
  const char* chosen = std::getenv("NEARCUBE_FASHION_MNIST");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/usr/share/datasets/fashion-mnist";
}

FashionMnist::FashionMnist(Part part, const std::string& directory) {
  const std::string stem = directory + (part == Part::kTrain ? "/train-" : "/t10k-");
  const std::string images = stem + "images-idx3-ubyte.gz";
  const std::string labels = stem + "labels-idx1-ubyte.gz";
  for (const std::string& path : {images, labels})
    if (!std::filesystem::exists(path))
      bad_input(
          "{}: no such file; install the package dataset-fashion-mnist or set NEARCUBE_FASHION_MNIST to its "
          "folder",
          path);
  images_ = read_idx(images);
  labels_ = read_idx(labels);
  if (images_.shape.size() != 3 || images_.shape[1] != kHeight || images_.shape[2] != kWidth)
    bad_input("{}: shape {}, but Fashion-MNIST images are Nx28x28", images, to_string(images_.shape));
  if (labels_.shape != Shape{images_.shape[0]})
    bad_input("{}: shape {}, but there are {} images", labels, to_string(labels_.shape), images_.shape[0]);
  for (const std::uint8_t label : labels_.values)
    if (label > 9) bad_input("{}: label {} is not 0 to 9", labels, label);
}

void FashionMnist::check_index(std::int64_t index) const {
  if (index < 0 || index >= size()) bad_input("image index {} is out of range 0 to {}", index, size() - 1);
}

Tensor FashionMnist::images(std::int64_t first, std::int64_t count) const {
  check_index(first);
  if (count < 1 || count > size() - first) check_index(count < 1 ? -1 : first + count - 1);
  Tensor tensor({count, 1, kHeight, kWidth});
  const std::int64_t offset = first * kHeight * kWidth;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor[i] = static_cast<float>(images_.values[static_cast<std::size_t>(offset + i)]) / 255.0f;
  return tensor;
}

int FashionMnist::label(std::int64_t index) const {
  check_index(index);
  return labels_.values[static_cast<std::size_t>(index)];
}

const char* FashionMnist::class_name(int label) {
  // https://github.com/zalandoresearch/fashion-mnist, "Labels".
  static constexpr std::array names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                       "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
  if (label < 0 || label > 9) bad_input("label {} is not 0 to 9", label);
  return names[static_cast<std::size_t>(label)];
}

}  // namespace nearcube::network
