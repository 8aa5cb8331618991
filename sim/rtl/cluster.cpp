// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/cluster.h"

#include <Vcluster.h>
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
#include <fstream>
#include <vector>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/rtl/fst_file.h"

namespace nearcube::rtl {
namespace {

constexpr unsigned kResetCycles = 4;

}  // namespace

class Cluster::Model {
 public:
  explicit Model(const ClusterOptions& options) {
    context.randReset(2);
    // Verilator takes a seed of 31 bits, and 0 for a time-dependent one.
    context.randSeed(static_cast<int>(options.seed % 0x7FFFFFFF) + 1);
    context.traceEverOn(true);
    top = std::make_unique<Vcluster>(&context, "TOP");
    top->cluster_id_i = options.cluster_id;
    top->cluster_count_i = options.cluster_count;
    reset(ClusterInputs());
  }
  ~Model() { top->final(); }

  void reset(const ClusterInputs& inputs) {
    apply(inputs);
    driven = false;
    top->clk_i = 0;
    top->rst_ni = 0;
    top->eval();
    for (unsigned i = 0; i < kResetCycles; ++i) {
      top->clk_i = 1;
      top->eval();
      top->clk_i = 0;
      if (i + 1 == kResetCycles) top->rst_ni = 1;
      top->eval();
    }
    cycles = 0;
  }

  void apply(const ClusterInputs& in) {
    top->data_req_i = in.data_req;
    top->data_we_i = in.data_we;
    top->data_be_i = in.data_be;
    top->data_addr_i = in.data_addr;
    top->data_wdata_i = in.data_wdata;
    top->instr_req_i = in.instr_req;
    top->instr_addr_i = in.instr_addr;
    top->barrier_release_i = in.barrier_release;
    top->axi_aw_ready_i = in.axi.aw_ready;
    top->axi_w_ready_i = in.axi.w_ready;
    top->axi_b_valid_i = in.axi.b_valid;
    top->axi_b_id_i = in.axi.b_id;
    top->axi_b_resp_i = in.axi.b_resp;
    top->axi_ar_ready_i = in.axi.ar_ready;
    top->axi_r_valid_i = in.axi.r_valid;
    top->axi_r_id_i = in.axi.r_id;
    top->axi_r_data_i = in.axi.r_data;
    top->axi_r_resp_i = in.axi.r_resp;
    top->axi_r_last_i = in.axi.r_last;
  }

  VerilatedContext context;
  std::unique_ptr<Vcluster> top;
  std::uint64_t cycles = 0;
  ClusterInputs next;
  bool driven = false;
};

/// An FST file under a temporary name until it is known to be whole. The FST library does not report failed
/// writes, so free space is watched while recording, and the finished file is read back.
class Cluster::Trace {
 public:
  Trace(Vcluster& model, const TraceOptions& options)
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
    if (!std::ofstream(temporary_)) {
      bad_input("{}: cannot write the trace: {}", options.file, std::strerror(errno));
    }
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
  static constexpr std::uint64_t kSpaceInterval = 4096;

  void check_space() const {
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
    model_.trace(fst_.get(), 99);
    fst_->open(temporary_.c_str());
  }

  void remove() const {
    ::unlink(temporary_.c_str());
    ::unlink((temporary_ + ".hier").c_str());
  }

  Vcluster& model_;
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

Cluster::Cluster(const ClusterOptions& options) : model_(std::make_unique<Model>(options)) {}

Cluster::~Cluster() = default;

void Cluster::reset(const ClusterInputs& inputs) { model_->reset(inputs); }

std::uint64_t Cluster::cycles() const { return model_->cycles; }

bool Cluster::core_tick() const { return model_->top->core_tick_o != 0; }

ClusterOutputs Cluster::sample() const {
  const Vcluster& top = *model_->top;
  ClusterOutputs out;
  out.data_gnt = top.data_gnt_o != 0;
  out.data_rvalid = top.data_rvalid_o != 0;
  out.data_err = top.data_err_o != 0;
  out.data_rdata = top.data_rdata_o;
  out.instr_gnt = top.instr_gnt_o != 0;
  out.instr_rvalid = top.instr_rvalid_o != 0;
  out.instr_last = top.instr_last_o != 0;
  out.instr_err = top.instr_err_o != 0;
  out.instr_rdata = top.instr_rdata_o;
  out.irq_external = top.irq_external_o != 0;
  out.irq_timer = top.irq_timer_o != 0;
  out.barrier_arrive = top.barrier_arrive_o != 0;
  out.exit_valid = top.exit_valid_o != 0;
  out.exit_code = top.exit_code_o;
  out.char_valid = top.char_valid_o != 0;
  out.character = static_cast<char>(top.char_o);
  out.phase = top.phase_o;
  out.axi.aw_valid = top.axi_aw_valid_o != 0;
  out.axi.aw_addr = top.axi_aw_addr_o;
  out.axi.aw_id = top.axi_aw_id_o;
  out.axi.aw_len = top.axi_aw_len_o;
  out.axi.aw_size = top.axi_aw_size_o;
  out.axi.aw_burst = top.axi_aw_burst_o;
  out.axi.w_valid = top.axi_w_valid_o != 0;
  out.axi.w_data = top.axi_w_data_o;
  out.axi.w_strb = top.axi_w_strb_o;
  out.axi.w_last = top.axi_w_last_o != 0;
  out.axi.b_ready = top.axi_b_ready_o != 0;
  out.axi.ar_valid = top.axi_ar_valid_o != 0;
  out.axi.ar_addr = top.axi_ar_addr_o;
  out.axi.ar_id = top.axi_ar_id_o;
  out.axi.ar_len = top.axi_ar_len_o;
  out.axi.ar_size = top.axi_ar_size_o;
  out.axi.ar_burst = top.axi_ar_burst_o;
  out.axi.r_ready = top.axi_r_ready_o != 0;
  return out;
}

ClusterDebug Cluster::debug() const {
  ClusterDebug debug;
  debug.dma = model_->top->dma_debug_o;
  debug.core = model_->top->core_debug_o;
  for (unsigned n = 0; n < debug.ntx.size(); ++n) debug.ntx[n] = model_->top->ntx_debug_o[n];
  return debug;
}

void Cluster::drive(const ClusterInputs& inputs) {
  model_->next = inputs;
  model_->driven = true;
}

void Cluster::cycle() {
  Model& model = *model_;
  Vcluster& top = *model.top;
  model.context.time(model.cycles);
  top.clk_i = 1;
  top.eval();
  if (trace_) trace_->record(model.cycles, false);
  top.clk_i = 0;
  if (model.driven) {
    model.apply(model.next);
    model.driven = false;
  }
  top.eval();
  if (trace_) trace_->record(model.cycles, true);
  ++model.cycles;
}

void Cluster::start_trace(const TraceOptions& options) {
  if (!options.scope.empty()) {
    // The names are only known once a trace is open: open one of a model that never runs.
    std::string name = (std::filesystem::temp_directory_path() / "nearcube-scopes-XXXXXX").string();
    const int fd = ::mkstemp(name.data());
    if (fd < 0) throw base::error(ExitStatus::kOther, "{}: {}", name, std::strerror(errno));
    ::close(fd);
    {
      Model probe((ClusterOptions()));
      VerilatedFstC fst;
      probe.top->trace(&fst, 99);
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
      bad_input("--trace-scope {}: no such instance{} Instances are named from the top, as \"cluster\"",
                options.scope, base::did_you_mean(options.scope, scopes));
    }
  }
  trace_ = std::make_unique<Trace>(*model_->top, options);
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
