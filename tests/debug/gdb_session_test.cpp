// SPDX-License-Identifier: Apache-2.0
// What GDB asks of a core, on a made-up machine; and that no packet, however wrong, does harm.
#include "sim/debug/gdb_session.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>

#include "sim/debug/gdb_packet.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using debug::GdbSession;
using Action = GdbSession::Action;

namespace {

constexpr std::uint32_t kBase = 0x1000;

class Machine final : public debug::Target {
 public:
  bool blocked() const override { return is_blocked; }
  std::uint32_t pc() const override { return counter; }
  void set_pc(std::uint32_t value) override { counter = value; }
  std::uint32_t x(unsigned index) const override { return registers.at(index); }
  void set_x(unsigned index, std::uint32_t value) override {
    if (index != 0) registers.at(index) = value;
  }
  std::optional<std::uint32_t> csr(std::uint32_t number) const override {
    return number == riscv::csr::kMepc ? std::optional(mepc) : std::nullopt;
  }
  bool set_csr(std::uint32_t number, std::uint32_t value) override {
    if (number == riscv::csr::kMepc) mepc = value;
    return number == riscv::csr::kMepc;
  }
  bool read(std::uint32_t address, std::span<std::uint8_t> bytes) override {
    if (!there(address, bytes.size())) return false;
    std::memcpy(bytes.data(), memory.data() + (address - kBase), bytes.size());
    return true;
  }
  bool write(std::uint32_t address, std::span<const std::uint8_t> bytes) override {
    if (!there(address, bytes.size())) return false;
    std::memcpy(memory.data() + (address - kBase), bytes.data(), bytes.size());
    return true;
  }
  std::uint64_t cycles() const override { return 42; }
  std::string describe_units() const override { return "  core  asleep\n"; }

  bool there(std::uint32_t address, std::size_t bytes) const {
    return address >= kBase && address - kBase <= memory.size() && bytes <= memory.size() - (address - kBase);
  }

  bool is_blocked = false;
  std::uint32_t counter = 0x80000000;
  std::uint32_t mepc = 7;
  std::array<std::uint32_t, 32> registers{};
  std::array<std::uint8_t, 256> memory{};
};

std::string ask(GdbSession& session, Machine& machine, const std::string& packet) {
  const auto answer = session.handle(packet, machine);
  CHECK(answer.action == Action::kReply);
  return answer.text;
}

}  // namespace

TEST_CASE("registers and memory", "[gdb]") {
  GdbSession session;
  Machine machine;
  CHECK(ask(session, machine, "Pa=78563412") == "OK");
  CHECK(machine.registers[10] == 0x12345678);
  CHECK(ask(session, machine, "pa") == "78563412");
  CHECK(ask(session, machine, "p20") == "00000080");
  CHECK(ask(session, machine, "P20=04000080") == "OK");
  CHECK(machine.counter == 0x80000004);
  const std::string all = ask(session, machine, "g");
  CHECK(all.size() == 33 * 8);
  CHECK(all.substr(80, 8) == "78563412");
  CHECK(ask(session, machine, "G" + all) == "OK");
  CHECK(ask(session, machine, "p46") == "07000000");
  CHECK(ask(session, machine, "P46=09000000") == "OK");
  CHECK(machine.mepc == 9);
  CHECK(ask(session, machine, "p21") == "E16");
  CHECK(ask(session, machine, "p99") == "E16");
  CHECK(ask(session, machine, "M1000,3:010203") == "OK");
  CHECK(ask(session, machine, "m1000,4") == "01020300");
  CHECK(ask(session, machine, std::string("X1004,2:}\x03z", 11)) == "OK");
  CHECK(ask(session, machine, "m1004,2") == "237a");
  for (const char* nowhere : {"m0,4", "m10fe,4", "mffffffff,1", "M10ff,2:0000"}) {
    CHECK(ask(session, machine, nowhere) == "E0e");
  }
  for (const char* wrong : {"m", "m1000", "m1000,", "mxyz,4", "m1000,fffff", "m100000000,1", "M1000,2:00",
                            "M1000,1:zz", "G00", "P1", "P1=00"}) {
    INFO(wrong);
    CHECK(ask(session, machine, wrong) == "E16");
  }
  machine.is_blocked = true;
  CHECK(ask(session, machine, "pa") == "78563412");
  CHECK(ask(session, machine, "Pa=00000000") == "E16");
}

TEST_CASE("breakpoints, steps and watchpoints", "[gdb]") {
  GdbSession session;
  Machine machine;
  CHECK(ask(session, machine, "Z0,80000010,2") == "OK");
  CHECK(session.handle("c", machine).action == Action::kResume);
  CHECK(session.starts(0x80000000));
  CHECK(session.starts(0x80000002));
  CHECK_FALSE(session.starts(0x80000010));
  CHECK(session.stop_reply() == "T05");
  // Going on from a breakpoint does not end at it, coming back does.
  CHECK(session.handle("c", machine).action == Action::kResume);
  CHECK(session.starts(0x80000010));
  CHECK_FALSE(session.starts(0x80000010));
  CHECK(ask(session, machine, "z0,80000010,2") == "OK");
  CHECK(session.handle("vCont;s:1;c", machine).action == Action::kResume);
  CHECK(session.starts(0x80000010));
  CHECK_FALSE(session.starts(0x80000012));

  CHECK(ask(session, machine, "Z2,1004,4") == "OK");
  CHECK(session.handle("c", machine).action == Action::kResume);
  CHECK(session.accesses(0x1004, 4, false));
  CHECK(session.accesses(0x1008, 4, true));
  CHECK(session.accesses(0x1000, 4, true));
  CHECK_FALSE(session.accesses(0x1007, 1, true));
  CHECK(session.stop_reply() == "T05watch:1007;");
  CHECK_FALSE(session.accesses(0x1002, 4, true));
  CHECK(session.stop_reply() == "T05watch:1004;");
  CHECK(ask(session, machine, "z2,1004,4") == "OK");
  CHECK(ask(session, machine, "Z3,1004,4") == "OK");
  CHECK(session.accesses(0x1004, 4, true));
  CHECK_FALSE(session.accesses(0x1004, 4, false));
  CHECK(session.stop_reply() == "T05rwatch:1004;");
  CHECK(ask(session, machine, "Z4,1004,4") == "OK");
  CHECK_FALSE(session.accesses(0x1004, 4, true));
  CHECK(session.stop_reply() == "T05awatch:1004;");
  session.restart();
  CHECK(session.accesses(0x1004, 4, true));
}

TEST_CASE("an exception is shown where it happened", "[gdb]") {
  GdbSession session;
  Machine machine;
  machine.counter = 0x80000100;  // the handler
  CHECK(session.handle("c", machine).action == Action::kResume);
  CHECK_FALSE(session.traps({0x80000020, riscv::cause::kTimerInterrupt, 0}));
  CHECK(session.traps({0x80000020, riscv::cause::kStoreAccessFault, 0x40000000}));
  CHECK(session.stop_reply() == "T0b");
  CHECK(ask(session, machine, "p20") == "20000080");
  // Writing back what was read is no jump; the step ends before the handler's first instruction.
  CHECK(ask(session, machine, "P20=20000080") == "OK");
  CHECK(machine.counter == 0x80000100);
  CHECK(session.handle("s", machine).action == Action::kResume);
  CHECK_FALSE(session.starts(0x80000100));
  CHECK(ask(session, machine, "p20") == "00010080");
  CHECK(session.traps({0, riscv::cause::kIllegalInstruction, 0}));
  CHECK(session.stop_reply() == "T04");
}

TEST_CASE("what GDB asks when it connects", "[gdb]") {
  GdbSession session;
  Machine machine;
  CHECK_THAT(ask(session, machine, "qSupported:xmlRegisters=riscv"), test::contains("PacketSize=4000"));
  CHECK(session.acknowledges());
  CHECK(ask(session, machine, "QStartNoAckMode") == "OK");
  CHECK_FALSE(session.acknowledges());
  std::string xml;
  for (;;) {
    const std::string part =
        ask(session, machine, "qXfer:features:read:target.xml:" + fmt::format("{:x},{:x}", xml.size(), 100));
    xml += part.substr(1);
    if (part[0] == 'l') break;
  }
  CHECK_THAT(xml, test::contains("<architecture>riscv:rv32</architecture>") && test::contains("\"mcause\""));
  CHECK(debug::from_hex(ask(session, machine, "qRcmd,6379636c6573")) == "42 NTX clock cycles since reset\n");
  CHECK_THAT(*debug::from_hex(ask(session, machine, "qRcmd,666f6f")), test::contains("no command \"foo\""));
  CHECK(ask(session, machine, "vMustReplyEmpty").empty());
  CHECK(session.handle("D", machine).action == Action::kDetach);
  CHECK(session.handle("k", machine).action == Action::kKill);
}

TEST_CASE("no packet does harm", "[gdb]") {
  const auto seed = test::seed();
  INFO("NEARCUBE_SEED=" << seed);
  test::Random random(seed);
  GdbSession session;
  Machine machine;
  constexpr std::string_view kFirst = "?gGpPmMXZzcsCSDkHTqvQ!R";
  constexpr std::string_view kRest = "0123456789abcdef,:;=#}xCont";
  for (std::uint64_t n = test::cases(20'000, 1'000'000); n > 0; --n) {
    std::string packet;
    if (random() % 8) packet.push_back(kFirst[random() % kFirst.size()]);
    for (std::uint64_t i = random() % 20; i > 0; --i) {
      packet.push_back(random() % 16 ? kRest[random() % kRest.size()] : static_cast<char>(random()));
    }
    INFO("packet " << debug::to_hex(packet));
    const auto answer = session.handle(packet, machine);
    REQUIRE(answer.text.find_first_of("$#") == std::string::npos);
    session.starts(machine.counter);
  }
}
