// SPDX-License-Identifier: Apache-2.0
// Holds every command that a cube's vaults issue against the rules of their DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/dram_check/dram_rules.h"
#include "sim/hmc/cube.h"

namespace nearcube::dram_check {

/// One command at the wrong time, or one that the state of its bank does not allow.
struct Violation {
  std::string rule;          ///< "tRCD", "closed row", ...: RuleChecker::rule_names() has all
  hmc::DramCommand command;  ///< of a refresh that never came: the clk and vault where it was missed
  std::optional<hmc::DramCommand> earlier;  ///< the command whose distance is wrong, or that left the state
  /// Clk between the two commands; both zero for a rule about states. `actual` is below `required`, but for
  /// tREFI above it; it is negative if time ran backwards.
  std::int64_t required = 0;
  std::int64_t actual = 0;
  std::string message;  ///< one line that names vault, banks, both commands, rule and distances
};

/// An observer for Cube::add_observer that only watches. A command that breaks a rule is counted, and then
/// taken as if it had not, so that one fault gives one violation and not a trail of them.
///
/// Distances are a table from kinds of command to kinds of command. Beside it stand the rules that are no
/// distance from one command: the window of four activates, the data bus, the rows' states, refreshes in
/// time.
///  * A read or write with auto-precharge closes its bank as soon as tRAS, tRTP and tWR allow; until then the
///    bank takes no command, and activate and refresh come no earlier than tRP after it.
///  * A precharge of a bank that is closed does nothing but start tRP again.
///  * Refresh is of the whole vault and finds all banks closed.
///  * Refresh n of a vault is due at n tREFI and may come movable_refreshes tREFI early or late; two
///    refreshes are never further apart than movable_refreshes + 1 tREFI.
class RuleChecker : public hmc::CommandObserver {
 public:
  /// Throws Error (kBadInput) for rules that check() refuses.
  explicit RuleChecker(const DramRules& rules);

  /// Every name that Violation::rule may have.
  static std::vector<std::string> rule_names();

  void command(const hmc::DramCommand& command) override;

  /// The run is over at `clk`: refreshes that are overdue then and never came are violations too.
  void finish(std::uint64_t clk);

  std::uint64_t commands() const { return commands_; }
  std::uint64_t violations() const { return count_; }
  /// Of the rules that have any.
  const std::map<std::string, std::uint64_t>& violations_by_rule() const { return by_rule_; }
  /// The first kKept of them.
  const std::vector<Violation>& first() const { return first_; }
  static constexpr std::size_t kKept = 20;

  /// "12,345 DRAM commands checked: no violations", or how many by rule and the first of them, a line each.
  std::string report() const;

 private:
  static constexpr std::size_t kDistances = 14;
  struct Distance;
  enum class Where : std::uint8_t {
    kVault,
    kBank,        // the same bank; a refresh is a command to each
    kClosedBank,  // the same bank, if an auto-precharge closed it
  };
  static const std::array<Distance, kDistances> kTable;

  /// When a rule next lets its commands come, and the command that said so.
  struct Earliest {
    std::uint64_t clk = 0;
    hmc::DramCommand cause{};
  };
  enum class Row : std::uint8_t { kClosed, kOpen, kClosing };
  struct Bank {
    Row row = Row::kClosed;
    std::optional<hmc::DramCommand> last = {};  // that opened or closed the row
    std::array<Earliest, kDistances> earliest = {};
  };
  struct Transfer {  // data on the bus from clk `start` to before `end`
    std::uint64_t start, end;
    hmc::DramCommand command;
  };
  struct Vault {
    std::vector<Bank> banks;
    std::array<Earliest, kDistances> earliest = {};
    std::array<hmc::DramCommand, 4> activates = {};  // a ring
    std::uint64_t activate_count = 0;
    std::vector<Transfer> transfers = {};  // those that one to come may still meet
    std::uint64_t refreshes = 0;
    std::uint64_t refreshed = 0;  // clk of the last refresh, or 0
    std::optional<hmc::DramCommand> last_refresh = {};
  };

  bool exists(const hmc::DramCommand& command);
  void check_distances(const Vault& vault, const hmc::DramCommand& command);
  void check_state(const Vault& vault, const hmc::DramCommand& command);
  void check_four_activates(Vault& vault, const hmc::DramCommand& command);
  void check_data_bus(Vault& vault, const hmc::DramCommand& command);
  void check_refreshes(Vault& vault, const hmc::DramCommand& command, bool is_refresh);
  void remember(Vault& vault, const hmc::DramCommand& command);

  void wrong_distance(const char* rule, const hmc::DramCommand& earlier, const hmc::DramCommand& command,
                      std::int64_t required, const std::string& requirement);
  void violation(Violation violation);

  DramRules rules_;
  std::vector<Vault> vaults_;
  std::uint64_t commands_ = 0;
  std::uint64_t count_ = 0;
  std::map<std::string, std::uint64_t> by_rule_;
  std::vector<Violation> first_;
};

}  // namespace nearcube::dram_check
