// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/arrays.h"

#include <charconv>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace nearcube::cli {
namespace {

/// Splits at the first `separator`; bad input if there is none or a side is empty.
std::pair<std::string, std::string> split(const std::string& text, char separator, const std::string& option,
                                          const char* form) {
  const std::size_t at = text.find(separator);
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) bad_input("{}: must be {}", option, form);
  return {text.substr(0, at), text.substr(at + 1)};
}

Place parse_place(const std::string& name, const riscv::ElfFile& elf, const std::string& option) {
  Place place;
  place.name = name;
  if (name.starts_with("0x")) {
    const char* end = name.data() + name.size();
    const auto result = std::from_chars(name.data() + 2, end, place.address, 16);
    if (result.ec != std::errc() || result.ptr != end)
      bad_input("{}: \"{}\" is not a hexadecimal address", option, name);
  } else {
    const auto& symbol = elf.symbol(name);
    place.address = symbol.address;
    if (symbol.size_bytes != 0) place.size_bytes = symbol.size_bytes;
  }
  if (place.address % 4 != 0) bad_input("{}: {:#x} is not a multiple of 4", option, place.address);
  return place;
}

void require_fits(const Place& place, std::uint64_t bytes, const std::string& option) {
  if (place.size_bytes && bytes > *place.size_bytes) {
    bad_input("{}: {} do not fit {}, which has {}", option, base::format_bytes(bytes), place.name,
              base::format_bytes(*place.size_bytes));
  }
}

network::Shape parse_shape(const std::string& text, const std::string& option) {
  network::Shape shape;
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    std::int64_t extent = 0;
    const auto result = std::from_chars(at, end, extent);
    if (result.ec != std::errc() || extent <= 0 || (result.ptr != end && *result.ptr != 'x')) {
      bad_input("{}: \"{}\" is not a shape like 16x32", option, text);
    }
    shape.push_back(extent);
    if (result.ptr == end) break;
    at = result.ptr + 1;
  }
  return shape;
}

}  // namespace

Load parse_load(const std::string& argument, const riscv::ElfFile& elf) {
  const std::string option = "--load " + argument;
  const auto [name, file] = split(argument, '=', option, "SYMBOL=FILE.npy or 0xADDRESS=FILE.npy");
  Load load;
  load.place = parse_place(name, elf, option);
  load.file = file;
  load.values = network::read_npy_bits(file);
  require_fits(load.place, static_cast<std::uint64_t>(load.values.size()) * 4, option);
  return load;
}

Dump parse_dump(const std::string& argument, const riscv::ElfFile& elf) {
  static constexpr const char* kForm = "SYMBOL:SHAPE=FILE.npy, as y:16x32=y.npy or y:16x32:int32=y.npy";
  const std::string option = "--dump " + argument;
  const auto [what, file] = split(argument, '=', option, kForm);
  auto [name, shape] = split(what, ':', option, kForm);
  Dump dump;
  const std::size_t colon = shape.find(':');
  if (colon != std::string::npos) {
    const std::string type = shape.substr(colon + 1);
    if (type != "int32" && type != "fp32") bad_input("{}: \"{}\" is neither fp32 nor int32", option, type);
    dump.element = type == "int32" ? network::Element::kInt32 : network::Element::kFp32;
    shape = shape.substr(0, colon);
  }
  dump.place = parse_place(name, elf, option);
  dump.file = file;
  dump.shape = parse_shape(shape, option);
  const std::int64_t elements = network::element_count(dump.shape);
  if (elements > INT64_MAX / 4) bad_input("{}: the shape is too large", option);
  require_fits(dump.place, static_cast<std::uint64_t>(elements) * 4, option);
  return dump;
}

}  // namespace nearcube::cli
