// SPDX-License-Identifier: Apache-2.0
// What passes between an AXI4 master and a slave in one cycle.
#pragma once

#include <cstdint>

namespace nearcube::base {

/// What an AXI4 master (the cluster) drives: 64-bit data and addresses (AMBA AXI and ACE protocol, ARM IHI
/// 0022).
struct AxiRequest {
  bool aw_valid = false;
  std::uint64_t aw_addr = 0;
  std::uint8_t aw_id = 0, aw_len = 0, aw_size = 0, aw_burst = 0;
  bool w_valid = false;
  std::uint64_t w_data = 0;
  std::uint8_t w_strb = 0;
  bool w_last = false;
  bool b_ready = false;
  bool ar_valid = false;
  std::uint64_t ar_addr = 0;
  std::uint8_t ar_id = 0, ar_len = 0, ar_size = 0, ar_burst = 0;
  bool r_ready = false;
};

/// What the slave drives.
struct AxiResponse {
  bool aw_ready = false;
  bool w_ready = false;
  bool b_valid = false;
  std::uint8_t b_id = 0, b_resp = 0;
  bool ar_ready = false;
  bool r_valid = false;
  std::uint8_t r_id = 0, r_resp = 0;
  std::uint64_t r_data = 0;
  bool r_last = false;
};

/// AXI response codes in use.
inline constexpr std::uint8_t kRespOkay = 0;
inline constexpr std::uint8_t kRespSlvErr = 2;
inline constexpr std::uint8_t kRespDecErr = 3;

}  // namespace nearcube::base
