// SPDX-License-Identifier: Apache-2.0
#include "sw/network/npy.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"

namespace nearcube::network {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

/// The text of `key`'s value in the header, a Python dictionary literal as numpy.lib.format writes it.
std::string_view header_value(std::string_view header, std::string_view key, const std::string& path) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) bad_input("{}: the NPY header has no '{}'", path, key);
  std::string_view rest = header.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const char end = rest.starts_with('(') ? ')' : ',';
  const std::size_t length = rest.find_first_of(end == ')' ? std::string_view(")") : std::string_view(",}"));
  if (length == std::string_view::npos) bad_input("{}: the NPY header breaks off at '{}'", path, key);
  return rest.substr(0, end == ')' ? length + 1 : length);
}

Shape parse_shape(std::string_view text, const std::string& path) {
  Shape shape;
  const std::string_view whole = text;
  if (!text.starts_with('(') || !text.ends_with(')')) bad_input("{}: NPY shape {} is no tuple", path, whole);
  text = text.substr(1, text.size() - 2);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) return shape;
    std::int64_t extent = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (status != std::errc() || extent < 0)
      bad_input("{}: NPY shape {} has an extent that is no number", path, whole);
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

Tensor read(const std::string& path, bool integers) {
  const std::vector<std::uint8_t> bytes = base::read_file(path, "NPY file");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) bad_input("{}: not an NPY file (write one with numpy.save)", path);
  if (bytes.size() < 12) bad_input("{}: truncated in the NPY header", path);
  const unsigned version = bytes[6];
  if (version < 1 || version > 3) bad_input("{}: NPY format version {} is unknown", path, version);
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t header_bytes = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) header_bytes |= std::size_t{bytes[8 + i]} << (8 * i);
  const std::size_t data_at = 8 + length_bytes + header_bytes;
  if (data_at > bytes.size()) bad_input("{}: truncated in the NPY header", path);
  const std::string_view header = text.substr(8 + length_bytes, header_bytes);

  const std::string_view type = header_value(header, "descr", path);
  const bool known = type == "'<f4'" || (integers && (type == "'<i4'" || type == "'<u4'"));
  if (!known)
    bad_input("{}: elements are {}, not little-endian fp32; convert with numpy.save(..., x.astype('<f4'))",
              path, type);
  if (header_value(header, "fortran_order", path) != "False")
    bad_input("{}: Fortran order; convert with numpy.ascontiguousarray", path);
  Shape shape = parse_shape(header_value(header, "shape", path), path);

  const std::uint64_t available = bytes.size() - data_at;
  std::uint64_t elements = 0;
  try {
    elements = static_cast<std::uint64_t>(element_count(shape));
  } catch (const Error& error) {
    bad_input("{}: {}", path, error.what());
  }
  if (available / sizeof(float) < elements || available != elements * sizeof(float))
    bad_input("{}: {} bytes of data, but shape {} of fp32 needs {} elements; truncated or overlong", path,
              available, to_string(shape), elements);
  return from_bytes(std::move(shape), {bytes.begin() + static_cast<std::ptrdiff_t>(data_at), bytes.end()});
}

}  // namespace

Tensor read_npy(const std::string& path) { return read(path, false); }
Tensor read_npy_bits(const std::string& path) { return read(path, true); }

void write_npy(const std::string& path, const Tensor& tensor, Element element) {
  std::string shape;
  for (const std::int64_t extent : tensor.shape()) shape += std::to_string(extent) + ", ";
  if (tensor.shape().size() > 1) shape.resize(shape.size() - 2);
  if (tensor.shape().size() == 1) shape.resize(shape.size() - 1);
  const std::string type = element == Element::kInt32 ? "<i4" : "<f4";
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data starts at a multiple of 64 bytes (numpy.lib.format).
  const std::size_t prefix = kMagic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string file(kMagic);
  file += {'\1', '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  file += header;
  const std::vector<std::uint8_t> data = to_bytes(tensor);
  file.append(data.begin(), data.end());
  base::write_file_atomically(path, file);
}

}  // namespace nearcube::network
