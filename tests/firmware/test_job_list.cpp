// SPDX-License-Identifier: Apache-2.0
// What the runner does with a bad list: it ends with the descriptor's index and the reason, before it touches
// anything.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>

#include "sim/base/random.h"
#include "sw/compiler/workload.h"
#include "tests/firmware/functional_cluster.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using compiler::Tensor;
using compiler::Workload;
using interfaces::JobHeader;
using interfaces::TileDescriptor;
using nearcube::test::contains;
using test::FunctionalCluster;

namespace {

riscv::ElfFile firmware(const std::string& name) {
  return riscv::ElfFile::load(std::string(NEARCUBE_FIRMWARE_DIR "/") + name + ".elf");
}

Workload small_conv2d() {
  const compiler::Conv2dShape s{
      .in_channels = 2, .out_channels = 12, .height = 6, .width = 6, .kernel = 3, .pad = 1};
  return make_conv2d(s, Tensor(s.input()), Tensor(s.weights()), Tensor(s.bias()));
}

template <typename T>
void patch(Workload& workload, std::uint64_t address, const std::function<void(T&)>& change) {
  for (compiler::Piece& piece : workload.image) {
    if (address < piece.address || address + sizeof(T) > piece.address + piece.bytes.size()) continue;
    T value;
    std::memcpy(&value, piece.bytes.data() + (address - piece.address), sizeof value);
    change(value);
    std::memcpy(piece.bytes.data() + (address - piece.address), &value, sizeof value);
    return;
  }
  FAIL("no piece at that address");
}

JobHeader header_of(const Workload& workload) {
  JobHeader header{};
  for (const compiler::Piece& piece : workload.image)
    if (piece.address == workload.job_list_address) std::memcpy(&header, piece.bytes.data(), sizeof header);
  return header;
}

FunctionalCluster::Result run(const Workload& workload, interfaces::JobRecord* record = nullptr) {
  FunctionalCluster cluster(test::seed());
  cluster.load(firmware("job_runner"));
  for (const compiler::Piece& piece : workload.image) cluster.write(piece.address, piece.bytes);
  FunctionalCluster::Result result = cluster.run();
  if (record != nullptr) {
    const auto bytes = cluster.read(workload.record_address, sizeof *record);
    std::memcpy(record, bytes.data(), sizeof *record);
  }
  return result;
}

/// Breaks descriptor 1 of a good list and expects `status` for it.
void expect(std::uint32_t status, const std::function<void(TileDescriptor&)>& change) {
  Workload workload = small_conv2d();
  REQUIRE(workload.tiles.size() >= 2);
  const std::uint64_t at = header_of(workload).descriptors_address + sizeof(TileDescriptor);
  patch<TileDescriptor>(workload, at, change);
  interfaces::JobRecord record{};
  const FunctionalCluster::Result result = run(workload, &record);
  INFO(result.output);
  REQUIRE(result.exited);
  CHECK(result.exit_code == status);
  CHECK(record.status == status);
  CHECK(record.descriptor == 1);
  CHECK_THAT(result.output,
             contains("descriptor 1: ") && contains("(status " + std::to_string(status) + ")"));
}

void expect_header(std::uint32_t status, const std::function<void(JobHeader&)>& change) {
  Workload workload = small_conv2d();
  patch<JobHeader>(workload, workload.job_list_address, change);
  const FunctionalCluster::Result result = run(workload);
  INFO(result.output);
  REQUIRE(result.exited);
  CHECK(result.exit_code == status);
  CHECK(result.transfers <= 2);  // the header's and the range's own
  CHECK(result.commands == 0);
}

}  // namespace

TEST_CASE("A bad header ends the run before anything is transferred") {
  expect_header(interfaces::kJobBadMagic, [](JobHeader& h) { h.magic ^= 1; });
  expect_header(interfaces::kJobBadVersion, [](JobHeader& h) { ++h.version; });
  expect_header(interfaces::kJobBadVersion, [](JobHeader& h) { h.descriptor_bytes = 64; });
  expect_header(interfaces::kJobBadVersion, [](JobHeader& h) { h.reserved = 1; });
  expect_header(interfaces::kJobBadHardware, [](JobHeader& h) { h.image_bytes = 40; });
  expect_header(interfaces::kJobBadHardware, [](JobHeader& h) { h.tile_bytes = 65536; });
  expect_header(interfaces::kJobBadRange, [](JobHeader& h) { h.cluster_count = 0; });
  expect_header(interfaces::kJobBadRange, [](JobHeader& h) { h.descriptor_count = 1; });
  expect_header(interfaces::kJobBadPointer, [](JobHeader& h) { h.descriptors_address += 4; });
  expect_header(interfaces::kJobBadPointer, [](JobHeader& h) { h.ranges_address = 0x1000'0000; });
  expect_header(interfaces::kJobBadPointer, [](JobHeader& h) { h.records_address = 0xFFFF'FFF8; });
  expect_header(interfaces::kJobBadPointer, [](JobHeader& h) { h.descriptor_count = 0xFFFF'FFFF; });
}

TEST_CASE("A range outside the descriptors ends the run") {
  Workload workload = small_conv2d();
  patch<interfaces::JobRange>(workload, header_of(workload).ranges_address,
                              [](auto& range) { range.first = 7; });
  CHECK(run(workload).exit_code == interfaces::kJobBadRange);
}

TEST_CASE("An empty range is a good list") {
  Workload workload = small_conv2d();
  patch<interfaces::JobRange>(workload, header_of(workload).ranges_address,
                              [](auto& range) { range.count = 0; });
  const FunctionalCluster::Result result = run(workload);
  CHECK(result.exited);
  CHECK(result.exit_code == 0);
  CHECK(result.commands == 0);
}

TEST_CASE("A job list that is not there ends the run") {
  FunctionalCluster cluster(test::seed());
  cluster.load(firmware("job_runner"));
  CHECK(cluster.run().exit_code == interfaces::kJobBadMagic);

  FunctionalCluster patched(test::seed());
  const riscv::ElfFile file = firmware("job_runner");
  patched.load(file);
  const std::array<std::uint8_t, 8> nowhere{0x04, 0, 0, 0x10, 0, 0, 0, 0};
  patched.write(file.symbol("nc_job_list_pointer").address, nowhere);
  CHECK(patched.run().exit_code == interfaces::kJobBadPointer);
}

TEST_CASE("Every field of a descriptor is checked") {
  using T = TileDescriptor;
  expect(interfaces::kJobBadKind, [](T& t) { t.kind = 0; });
  expect(interfaces::kJobBadKind, [](T& t) { t.kind = 8; });
  expect(interfaces::kJobBadBarriers, [](T& t) { t.barriers = 1; });
  // More than the header has.
  expect(interfaces::kJobBadBarriers, [](T& t) {
    t.barriers = 1;
    t.flags |= interfaces::kFlagSync;
  });
  expect(interfaces::kJobBadFlags, [](T& t) { t.flags |= 0x200; });
  expect(interfaces::kJobBadFlags, [](T& t) { t.flags |= interfaces::kFlagInitOutput; });
  expect(interfaces::kJobBadFlags, [](T& t) { t.flags |= interfaces::kFlagWideIn; });
  expect(interfaces::kJobBadFlags, [](T& t) { t.flags |= interfaces::kFlagWideOut; });
  expect(interfaces::kJobBadFlags, [](T& t) { t.kind = interfaces::kKindMaxPool; });
  expect(interfaces::kJobBadFlags, [](T& t) { t.kind = interfaces::kKindGemm; });
  for (std::uint16_t T::*field :
       {&T::input_planes, &T::input_rows, &T::input_cols, &T::output_planes, &T::output_rows, &T::output_cols,
        &T::kernel_planes, &T::kernel_rows, &T::kernel_cols, &T::stride_rows, &T::stride_cols,
        &T::weights_rows, &T::weights_cols}) {
    expect(interfaces::kJobBadShape, [field](T& t) { t.*field = 0; });
  }
  for (std::uint16_t T::*field :
       {&T::output_planes, &T::output_rows, &T::output_cols, &T::kernel_planes, &T::kernel_rows,
        &T::kernel_cols, &T::stride_rows, &T::stride_cols, &T::weights_rows, &T::weights_cols})
    expect(interfaces::kJobBadShape, [field](T& t) { t.*field = static_cast<std::uint16_t>(t.*field + 7); });
  for (std::uint8_t T::*field : {&T::pad_top, &T::pad_left, &T::pad_bottom, &T::pad_right})
    expect(interfaces::kJobBadShape, [field](T& t) { t.*field = 0; });
  expect(interfaces::kJobBadShape, [](T& t) { t.pad_front = 1; });
  expect(interfaces::kJobBadLanes, [](T& t) { t.lanes_a = 0; });
  expect(interfaces::kJobBadLanes, [](T& t) { t.lanes_b = 0; });
  expect(interfaces::kJobBadLanes, [](T& t) { t.lanes_a = 9; });
  expect(interfaces::kJobBadLanes, [](T& t) { t.lanes_b = 200; });
  expect(interfaces::kJobBadLanes, [](T& t) { t.lanes_a = static_cast<std::uint8_t>(t.output_planes - 1); });
  for (std::uint32_t T::*field : {&T::input_offset, &T::weights_offset, &T::output_offset}) {
    expect(interfaces::kJobBadTcdm, [field](T& t) { t.*field += 2; });
    expect(interfaces::kJobBadTcdm, [field](T& t) { t.*field = 0xE7F0; });
    expect(interfaces::kJobBadTcdm, [field](T& t) { t.*field = 0xFFFF'FFF0; });
  }
  expect(interfaces::kJobBadTcdm, [](T& t) { t.input_offset = t.weights_offset; });
  expect(interfaces::kJobBadTcdm, [](T& t) { t.output_offset = t.input_offset; });
  for (std::uint16_t T::*field : {&T::input_tcdm_row, &T::weights_tcdm_row, &T::output_tcdm_row}) {
    expect(interfaces::kJobBadTcdm, [field](T& t) { t.*field = 1; });
    expect(interfaces::kJobBadTcdm, [field](T& t) { t.*field = 0xFFFF; });
  }
  for (std::uint32_t T::*field : {&T::input_tcdm_plane, &T::output_tcdm_plane}) {
    expect(interfaces::kJobBadTcdm, [field](T& t) { t.*field = 3; });
    expect(interfaces::kJobBadTcdm, [field](T& t) { t.*field = 0x8000'0000; });
  }
  expect(interfaces::kJobBadTcdm, [](T& t) { t.input_rows = 0xFFF0; });
  for (std::uint64_t T::*field : {&T::weights_address, &T::output_address, &T::bias_address}) {
    expect(interfaces::kJobBadAddress, [field](T& t) { t.*field += 1; });
    expect(interfaces::kJobBadAddress, [field](T& t) { t.*field = 0x1000'0000; });
  }
  for (std::uint32_t T::*field : {&T::input_row_pitch, &T::input_plane_pitch, &T::weights_row_pitch,
                                  &T::output_row_pitch, &T::output_plane_pitch})
    expect(interfaces::kJobBadAddress, [field](T& t) { t.*field += 2; });
}

TEST_CASE("A transfer from or to nowhere ends the run with the DMA's report") {
  for (std::uint64_t TileDescriptor::*field :
       {&TileDescriptor::weights_address, &TileDescriptor::output_address, &TileDescriptor::bias_address}) {
    Workload workload = small_conv2d();
    patch<TileDescriptor>(workload, header_of(workload).descriptors_address,
                          [field](TileDescriptor& t) { t.*field = 0x12'0000'0000; });
    interfaces::JobRecord record{};
    const FunctionalCluster::Result result = run(workload, &record);
    INFO(result.output);
    CHECK(result.exit_code == interfaces::kJobDmaError);
    CHECK(record.status == interfaces::kJobDmaError);
    CHECK_THAT(result.output, contains("DMA: transfer ") && contains("0x0000001200000000"));
  }
}

TEST_CASE("A refused command ends the run with the NTX's report") {
  const Workload workload = small_conv2d();
  FunctionalCluster cluster(test::seed());
  cluster.load(firmware("job_runner"));
  for (const compiler::Piece& piece : workload.image) cluster.write(piece.address, piece.bytes);
  cluster.refuse_next_command(3);
  const FunctionalCluster::Result result = cluster.run();
  INFO(result.output);
  REQUIRE(result.exited);
  CHECK(result.exit_code == interfaces::kJobNtxError);
  CHECK_THAT(result.output, contains("NTX 3: cause 0x001, 0xffffffff"));
}

TEST_CASE("Random words for descriptors never hang, trap or refuse a command") {
  for (std::uint64_t i = 0; i < test::cases(300, 5000); ++i) {
    const std::uint64_t seed = test::seed() + i;
    base::Random random(seed);
    Workload workload = small_conv2d();
    patch<TileDescriptor>(workload, header_of(workload).descriptors_address, [&](TileDescriptor& t) {
      // A few bytes changed, so that some lists stay good.
      auto* bytes = reinterpret_cast<std::uint8_t*>(&t);
      for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
        bytes[random.below(sizeof t)] = static_cast<std::uint8_t>(random.next());
    });
    const FunctionalCluster::Result result = run(workload);
    INFO("seed " << seed << ": " << result.output);
    REQUIRE(result.exited);
    CHECK(result.exit_code != interfaces::kExitTrap);
    CHECK(result.exit_code != interfaces::kJobNtxError);
  }
}

TEST_CASE("The example adds two vectors, and prints") {
  const riscv::ElfFile file = firmware("axpy");
  FunctionalCluster cluster(test::seed());
  cluster.load(file);
  const auto floats = [&](const char* name, std::size_t count) {
    std::vector<float> values(count);
    const auto bytes = cluster.read(file.symbol(name).address, 4 * count);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  base::Random random(test::seed());
  std::vector<float> x(2048), y(2048), expected(2048);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = random.normal();
    y[i] = random.normal();
    expected[i] = std::fma(2.0f, x[i], y[i]);
  }
  const auto bytes_of = [](const std::vector<float>& values) {
    std::vector<std::uint8_t> bytes(4 * values.size());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  };
  cluster.write(file.symbol("x").address, bytes_of(x));
  cluster.write(file.symbol("y").address, bytes_of(y));
  const FunctionalCluster::Result result = cluster.run();
  REQUIRE(result.exited);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.output, contains("axpy: 2048 elements on 8 NTX"));
  CHECK(floats("y", 2048) == expected);
  CHECK(result.commands == 8);
}
