// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/dma.h"

#include <algorithm>

#include "interfaces/generated/nearcube/interfaces.hpp"

namespace nearcube::fast {
namespace {

namespace regs = interfaces;
namespace dma = interfaces::dma;

constexpr std::size_t kMostTransfers = 8;
constexpr std::uint32_t kBusBytes = 8;
constexpr std::uint32_t kBurstBytes = 256;
/// Bytes that a reader may be ahead of its writer.
constexpr std::size_t kReadAhead = 1024;
constexpr std::size_t kTcdmReadAhead = 512;

std::uint64_t with_low(std::uint64_t x, std::uint32_t low) { return (x >> 32 << 32) | low; }
std::uint64_t with_high(std::uint64_t x, std::uint32_t high) {
  return (x & 0xFFFF'FFFF) | std::uint64_t{high} << 32;
}

}  // namespace

DmaRows::DmaRows(std::uint64_t first, std::int32_t stride1, std::int32_t stride2, const DmaShape& shape)
    : plane_(first),
      row_(first),
      stride1_(stride1),
      stride2_(stride2),
      bytes_(shape.bytes),
      rows_(shape.count1),
      rows_left_(shape.count1),
      planes_left_(shape.count2) {}

std::uint32_t DmaRows::piece(std::uint32_t block) const {
  return std::min(bytes_ - at_, block - static_cast<std::uint32_t>(address() % block));
}

void DmaRows::advance(std::uint32_t bytes) {
  at_ += bytes;
  if (at_ != bytes_) return;
  at_ = 0;
  row_ += static_cast<std::uint64_t>(stride1_);
  if (--rows_left_ != 0) return;
  rows_left_ = rows_;
  plane_ += static_cast<std::uint64_t>(stride2_);
  row_ = plane_;
  --planes_left_;
}

bool Dma::grants(std::uint32_t offset, bool write) const {
  return !(write && offset == dma::kStartOffset && transfers_.size() == kMostTransfers);
}

std::optional<std::uint32_t> Dma::read(std::uint32_t offset) const {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  switch (offset) {
    case dma::kSrcLoOffset:
      return low(shape_.src);
    case dma::kSrcHiOffset:
      return low(shape_.src >> 32);
    case dma::kDstLoOffset:
      return low(shape_.dst);
    case dma::kDstHiOffset:
      return low(shape_.dst >> 32);
    case dma::kBytesOffset:
      return shape_.bytes;
    case dma::kSrcStride1Offset:
      return static_cast<std::uint32_t>(shape_.src_stride1);
    case dma::kDstStride1Offset:
      return static_cast<std::uint32_t>(shape_.dst_stride1);
    case dma::kCount1Offset:
      return shape_.count1;
    case dma::kSrcStride2Offset:
      return static_cast<std::uint32_t>(shape_.src_stride2);
    case dma::kDstStride2Offset:
      return static_cast<std::uint32_t>(shape_.dst_stride2);
    case dma::kCount2Offset:
      return shape_.count2;
    case dma::kFillOffset:
      return shape_.pattern;
    case dma::kStartedIdOffset:
      return started_;
    case dma::kCompletedIdOffset:
      return transfers_.empty() ? started_ : transfers_.front()->id - 1;
    case dma::kStatusOffset:
      return outstanding() << dma::kStatusOutstandingLsb | static_cast<std::uint32_t>(fault_.has_value())
                                                               << dma::kStatusErrorLsb;
    case dma::kErrorIdOffset:
      return fault_ ? fault_->id : 0;
    case dma::kErrorAddrLoOffset:
      return fault_ ? low(fault_->address) : 0;
    case dma::kErrorAddrHiOffset:
      return fault_ ? low(fault_->address >> 32) : 0;
    case dma::kErrorCauseOffset:
      return fault_ ? fault_->cause << dma::kErrorCauseCauseLsb : 0;
    case dma::kStartOffset:
    case dma::kErrorClearOffset:
      return 0;
    default:
      return std::nullopt;
  }
}

bool Dma::write(std::uint32_t offset, std::uint32_t value) {
  const auto stride = static_cast<std::int32_t>(value);
  switch (offset) {
    case dma::kSrcLoOffset:
      shape_.src = with_low(shape_.src, value);
      return true;
    case dma::kSrcHiOffset:
      shape_.src = with_high(shape_.src, value);
      return true;
    case dma::kDstLoOffset:
      shape_.dst = with_low(shape_.dst, value);
      return true;
    case dma::kDstHiOffset:
      shape_.dst = with_high(shape_.dst, value);
      return true;
    case dma::kBytesOffset:
      shape_.bytes = value;
      return true;
    case dma::kSrcStride1Offset:
      shape_.src_stride1 = stride;
      return true;
    case dma::kDstStride1Offset:
      shape_.dst_stride1 = stride;
      return true;
    case dma::kCount1Offset:
      shape_.count1 = value;
      return true;
    case dma::kSrcStride2Offset:
      shape_.src_stride2 = stride;
      return true;
    case dma::kDstStride2Offset:
      shape_.dst_stride2 = stride;
      return true;
    case dma::kCount2Offset:
      shape_.count2 = value;
      return true;
    case dma::kFillOffset:
      shape_.pattern = value;
      return true;
    case dma::kStartOffset:
      start((value >> dma::kStartFillLsb & 1) != 0);
      return true;
    case dma::kErrorClearOffset:
      fault_.reset();
      return true;
    default:
      return read(offset).has_value();  // writes to read-only ones do nothing
  }
}

bool Dma::in_tcdm(std::uint64_t address) const {
  return address >= regs::kTcdmBase && address - regs::kTcdmBase < tcdm_.size();
}

void Dma::start(bool fill) {
  ++started_;
  if (shape_.bytes == 0 || shape_.count1 == 0 || shape_.count2 == 0) {
    empty_done_ = true;
    return;
  }
  auto transfer = std::make_shared<Transfer>();
  transfer->shape = shape_;
  transfer->shape.fill = fill;
  transfer->id = started_;
  transfer->src_tcdm = in_tcdm(shape_.src);
  transfer->dst_tcdm = in_tcdm(shape_.dst);
  if (!fill) transfer->in = DmaRows(shape_.src, shape_.src_stride1, shape_.src_stride2, shape_);
  transfer->out = DmaRows(shape_.dst, shape_.dst_stride1, shape_.dst_stride2, shape_);
  transfers_.push_back(std::move(transfer));
}

void Dma::fail(Transfer& transfer, std::uint32_t cause, std::uint64_t address) {
  if (transfer.failed) return;
  transfer.failed = true;
  if (!fault_) fault_ = Fault{transfer.id, cause, address};
}

/// Of so many bytes at the writer, those that are there.
std::uint32_t Dma::ready(const Transfer& transfer, std::uint32_t wanted) const {
  return transfer.shape.fill
             ? wanted
             : static_cast<std::uint32_t>(std::min<std::size_t>(wanted, transfer.data.size()));
}

std::uint8_t Dma::take_byte(Transfer& transfer, std::uint64_t address) {
  if (transfer.shape.fill) return static_cast<std::uint8_t>(transfer.shape.pattern >> (8 * (address % 4)));
  const std::uint8_t byte = transfer.data.front();
  transfer.data.pop_front();
  return byte;
}

void Dma::want_read() {
  if (wanted_read_) return;
  for (const Handle& transfer : transfers_) {
    if (transfer->src_tcdm || transfer->failed || transfer->in.done()) continue;
    const std::uint64_t address = transfer->in.address();
    if (address < regs::kCubeBase) {
      fail(*transfer, dma::kErrorCauseCauseNoSuchAddress, address);
      continue;
    }
    const std::uint32_t bytes = transfer->in.piece(kBurstBytes);
    if (transfer->data.size() + transfer->asked + bytes > kReadAhead) return;
    transfer->in.advance(bytes);
    transfer->asked += bytes;
    ++transfer->reads;
    reads_.push_back({transfer, address, bytes});
    wanted_read_ =
        Burst{address, static_cast<std::uint8_t>((address % kBusBytes + bytes + kBusBytes - 1) / kBusBytes)};
    return;
  }
}

void Dma::read_taken() { wanted_read_.reset(); }

void Dma::read_beat(std::uint64_t data, bool error, bool last) {
  ReadBurst& burst = reads_.front();
  Transfer& transfer = *burst.transfer;
  if (error) fail(transfer, dma::kErrorCauseCauseBusRead, burst.address);
  const auto lane = static_cast<std::uint32_t>(burst.address % kBusBytes);
  const std::uint32_t bytes = std::min(burst.left, kBusBytes - lane);
  for (std::uint32_t i = 0; i < bytes; ++i) {
    transfer.data.push_back(static_cast<std::uint8_t>(data >> (8 * (lane + i))));
  }
  burst.address += bytes;
  burst.left -= bytes;
  transfer.asked -= bytes;
  read_bytes += kBusBytes;
  if (last) {
    --transfer.reads;
    reads_.pop_front();
  }
}

void Dma::read_tcdm() {
  for (const Handle& transfer : transfers_) {
    if (!transfer->src_tcdm || transfer->failed || transfer->in.done()) continue;
    const std::uint64_t address = transfer->in.address();
    if (!in_tcdm(address)) {
      fail(*transfer, dma::kErrorCauseCauseNoSuchAddress, address);
      continue;
    }
    if (transfer->data.size() >= kTcdmReadAhead) return;
    const std::uint32_t bytes = transfer->in.piece(kBusBytes);
    const auto from = tcdm_.begin() + static_cast<std::ptrdiff_t>(address - regs::kTcdmBase);
    transfer->data.insert(transfer->data.end(), from, from + bytes);
    transfer->in.advance(bytes);
    return;
  }
}

// A burst begins when all its data are there.
void Dma::want_write() {
  if (wanted_write_ || !beats_.empty()) return;
  for (const Handle& transfer : transfers_) {
    if (transfer->dst_tcdm || transfer->failed || transfer->out.done()) continue;
    const std::uint64_t address = transfer->out.address();
    if (address < regs::kCubeBase) {
      fail(*transfer, dma::kErrorCauseCauseNoSuchAddress, address);
      continue;
    }
    const std::uint32_t bytes = transfer->out.piece(kBurstBytes);
    if (ready(*transfer, bytes) < bytes) return;
    Beat beat;
    for (std::uint32_t i = 0; i < bytes; ++i) {
      const auto lane = static_cast<unsigned>((address + i) % kBusBytes);
      beat.data |= std::uint64_t{take_byte(*transfer, address + i)} << (8 * lane);
      beat.strobe = static_cast<std::uint8_t>(beat.strobe | 1u << lane);
      beat.last = i + 1 == bytes;
      if (lane + 1 == kBusBytes || beat.last) {
        beats_.push_back(beat);
        beat = Beat();
      }
    }
    transfer->out.advance(bytes);
    ++transfer->writes;
    responses_.push_back({transfer, address});
    wanted_write_ = Burst{address, static_cast<std::uint8_t>(beats_.size())};
    return;
  }
}

void Dma::beat_taken() {
  for (std::uint8_t strobe = beats_.front().strobe; strobe != 0;
       strobe &= static_cast<std::uint8_t>(strobe - 1)) {
    ++write_bytes;
  }
  beats_.pop_front();
}

void Dma::write_response(bool error) {
  WriteBurst& burst = responses_.front();
  if (error) fail(*burst.transfer, dma::kErrorCauseCauseBusWrite, burst.address);
  --burst.transfer->writes;
  responses_.pop_front();
}

void Dma::write_tcdm() {
  for (const Handle& transfer : transfers_) {
    if (!transfer->dst_tcdm || transfer->failed || transfer->out.done()) continue;
    const std::uint64_t address = transfer->out.address();
    if (!in_tcdm(address)) {
      fail(*transfer, dma::kErrorCauseCauseNoSuchAddress, address);
      continue;
    }
    const std::uint32_t bytes = ready(*transfer, transfer->out.piece(kBusBytes));
    for (std::uint32_t i = 0; i < bytes; ++i) {
      tcdm_[address + i - regs::kTcdmBase] = take_byte(*transfer, address + i);
    }
    if (bytes != 0) transfer->out.advance(bytes);
    return;
  }
}

// Each kind of destination in order, whatever the other does.
void Dma::complete() {
  for (const bool tcdm : {false, true}) {
    const auto oldest = std::find_if(transfers_.begin(), transfers_.end(),
                                     [tcdm](const Handle& transfer) { return transfer->dst_tcdm == tcdm; });
    if (oldest == transfers_.end()) continue;
    const Transfer& transfer = **oldest;
    if (!(transfer.failed || transfer.out.done()) || transfer.reads != 0 || transfer.writes != 0) continue;
    done_ = completed_[tcdm] = true;
    error_ = error_ || transfer.failed;
    transfers_.erase(oldest);
  }
}

void Dma::tick() {
  done_ = empty_done_;
  empty_done_ = error_ = false;
  completed_ = {};
  write_tcdm();
  read_tcdm();
  want_read();
  want_write();
  complete();
}

}  // namespace nearcube::fast
