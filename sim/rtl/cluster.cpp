// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/cluster.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <vector>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/rtl/cluster_model.h"
#include "sim/rtl/fst_file.h"

namespace nearcube::rtl {
/// The model and what the coming clock edge needs.
class Cluster::Model {
 public:
  explicit Model(std::unique_ptr<ClusterModel> model) : rtl(std::move(model)) {}

  void reset(const ClusterInputs& inputs) {
    rtl->reset(inputs);
    driven = false;
    cycles = 0;
  }

  std::unique_ptr<ClusterModel> rtl;
  std::uint64_t cycles = 0;
  ClusterInputs next;
  bool driven = false;
};

/// An FST file under a temporary name until it is known to be whole. The FST library does not report failed
/// writes, so free space is watched while recording, and the finished file is read back.
class Cluster::Trace {
 public:
  Trace(ClusterModel& model, const TraceOptions& options)
      : model_(model),
        options_(options),
        temporary_(base::temporary_name(options.file)),
        half_period_ps_(static_cast<std::uint64_t>(std::llround(0.5e12 / options.ntx_hz))) {
    if (options.from > options.to) {
      bad_input("the trace's window ends at cycle {}, before it begins at cycle {}", options.to,
                options.from);
    }
    struct stat info = {};
    if (::stat(options.file.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      bad_input("{}: cannot hold a trace: not a regular file", options.file);
    }
    base::check_writable(options.file);
    check_space();
  }
  ~Trace() {
    stop();
    remove();
  }

  void record(std::uint64_t cycle, bool second_half) {
    if (closed_ || cycle < options_.from) return;
    if (cycle > options_.to) {
      stop();
      return;
    }
    if (!fst_) open();
    if (!second_half && cycle % kSpaceInterval == 0) check_space();
    fst_->dump((2 * cycle + (second_half ? 1 : 0)) * half_period_ps_);
  }

  void stop() {
    if (fst_ && !closed_) fst_->close();
    closed_ = true;
  }

  bool finish() {
    stop();
    if (!fst_) return false;
    const std::vector<FstSignal> signals = read_fst_signals(temporary_);
    erase_fst_date(temporary_);
    base::commit_file(temporary_, options_.file);
    const std::string name = std::filesystem::path(options_.file).filename().string();
    base::write_file_atomically(options_.file + ".gtkw", gtkwave_save_file(name, signals));
    return true;
  }

 private:
  // What the file system must have left, so that a block of values that the library holds back can be
  // written.
  static constexpr std::uint64_t kSpaceBytes = 4 << 20;
  // The library maps its own temporary files into memory, where one that may not grow is a fatal signal.
  static constexpr std::uint64_t kOwnFilesBytes = 512 << 10;
  static constexpr std::uint64_t kSpaceInterval = 4096;

  void check_space() const {
    struct rlimit limit = {};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < kOwnFilesBytes) {
      throw base::error(ExitStatus::kOther,
                        "{}: no room for the trace: files may not be larger than {} bytes (ulimit -f)",
                        options_.file, limit.rlim_cur);
    }
    const auto require = [this](const std::filesystem::path& folder) {
      struct statvfs info = {};
      if (::statvfs(folder.c_str(), &info) == 0 && info.f_bavail * info.f_frsize < kSpaceBytes) {
        throw base::error(
            ExitStatus::kOther,
            "{}: no room for the trace: the disk of {} is full; nothing was left behind. A window "
            "(--trace-from, --trace-to) or a scope (--trace-scope) makes it smaller",
            options_.file, folder.string());
      }
    };
    const std::filesystem::path parent = std::filesystem::path(options_.file).parent_path();
    require(parent.empty() ? "." : parent);
    // The library's own temporary files.
    require(std::filesystem::temp_directory_path());
  }

  void open() {
    fst_ = std::make_unique<VerilatedFstC>();
    fst_->set_time_unit("1ps");
    fst_->set_time_resolution("1ps");
    if (!options_.scope.empty()) fst_->dumpvars(1000, "TOP." + options_.scope);
    model_.trace(*fst_);
    fst_->open(temporary_.c_str());
  }

  void remove() const {
    ::unlink(temporary_.c_str());
    ::unlink((temporary_ + ".hier").c_str());
  }

  ClusterModel& model_;
  TraceOptions options_;
  std::string temporary_;
  std::uint64_t half_period_ps_;
  std::unique_ptr<VerilatedFstC> fst_;
  bool closed_ = false;
};

std::string verilator_version() {
  // "Verilator 5.006 2023-01-22 ..."
  const std::string product = Verilated::productVersion();
  const std::string name = Verilated::productName();
  const std::string rest =
      product.compare(0, name.size(), name) == 0 ? product.substr(name.size() + 1) : product;
  return rest.substr(0, rest.find(' '));
}

Cluster::Cluster(const ClusterOptions& options) : Cluster(options, make_cluster(options)) {}

Cluster::Cluster(const ClusterOptions& options, std::unique_ptr<ClusterModel> model)
    : parameters_(options.parameters), model_(std::make_unique<Model>(std::move(model))) {}

Cluster::~Cluster() = default;

void Cluster::reset(const ClusterInputs& inputs) { model_->reset(inputs); }

std::uint64_t Cluster::cycles() const { return model_->cycles; }

bool Cluster::core_tick() const { return model_->rtl->core_tick(); }

ClusterOutputs Cluster::sample() const { return model_->rtl->sample(); }

ClusterDebug Cluster::debug() const { return model_->rtl->debug(); }

std::vector<std::uint32_t> Cluster::counters() const { return model_->rtl->counters(); }

void Cluster::drive(const ClusterInputs& inputs) {
  model_->next = inputs;
  model_->driven = true;
}

void Cluster::cycle() {
  Model& model = *model_;
  model.rtl->rise(model.cycles);
  if (trace_) trace_->record(model.cycles, false);
  model.rtl->fall(model.driven ? &model.next : nullptr);
  model.driven = false;
  if (trace_) trace_->record(model.cycles, true);
  ++model.cycles;
}

void Cluster::idle(std::uint64_t periods) {
  const std::vector<std::uint64_t> before = model_->rtl->clocks();
  for (std::uint64_t cycle = 0; cycle < idle_period(); ++cycle) this->cycle();
  std::vector<std::uint64_t> clocks = model_->rtl->clocks();
  // Narrower registers wrap, as they would.
  for (std::size_t i = 0; i < clocks.size(); ++i) clocks[i] += (clocks[i] - before[i]) * (periods - 1);
  model_->rtl->set_clocks(clocks);
  model_->cycles += (periods - 1) * idle_period();
}

void Cluster::start_trace(const TraceOptions& options) {
  if (!model_->rtl->traceable()) throw base::error(ExitStatus::kOther, "this model was made without traces");
  if (!options.scope.empty()) {
    // The names are only known once a trace is open: open one of a model that never runs.
    std::string name = (std::filesystem::temp_directory_path() / "nearcube-scopes-XXXXXX").string();
    const int fd = ::mkstemp(name.data());
    if (fd < 0) throw base::error(ExitStatus::kOther, "{}: {}", name, std::strerror(errno));
    ::close(fd);
    {
      const auto probe = make_cluster({.traceable = true, .parameters = parameters_});
      VerilatedFstC fst;
      probe->trace(fst);
      fst.open(name.c_str());
      fst.dump(std::uint64_t{0});
      fst.close();
    }
    std::vector<std::string> scopes;
    for (const FstSignal& signal : read_fst_signals(name)) {
      if (signal.name.size() < 5) continue;
      const std::string scope =
          signal.name.substr(4, signal.name.rfind('.') - std::min<std::size_t>(4, signal.name.rfind('.')));
      if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) scopes.push_back(scope);
    }
    std::filesystem::remove(name);
    const bool known = std::any_of(scopes.begin(), scopes.end(), [&](const std::string& scope) {
      return scope == options.scope || scope.compare(0, options.scope.size() + 1, options.scope + ".") == 0;
    });
    if (!known) {
      const std::string suggestion = base::did_you_mean(options.scope, scopes);
      bad_input("--trace-scope {}: no such instance{} Instances are named from the top, as \"cluster\"",
                options.scope, suggestion.empty() ? "." : suggestion);
    }
  }
  trace_ = std::make_unique<Trace>(*model_->rtl, options);
}

void Cluster::stop_trace() {
  if (trace_) trace_->stop();
}

bool Cluster::finish_trace() {
  if (!trace_) return true;
  const std::unique_ptr<Trace> trace = std::move(trace_);
  return trace->finish();
}

}  // namespace nearcube::rtl
