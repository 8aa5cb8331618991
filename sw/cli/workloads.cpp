// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/workloads.h"

#include <charconv>
#include <cmath>
#include <memory>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/base/suggest.h"
#include "sim/base/units.h"
#include "sw/network/idx.h"
#include "sw/network/npy.h"
#include "sw/reference/kernels.h"

namespace nearcube::cli {
namespace {

using network::Shape;
using network::Tensor;

constexpr std::string_view kFashionMnist = "fashion-mnist:";

reference::View view(const Tensor& tensor) {
  return {tensor.data(), static_cast<std::size_t>(tensor.size())};
}

std::string given_option(const std::string& name, std::int64_t value) {
  return fmt::format("--{} {}", name, value);
}

/// Draws inputs and knows what a request's options are.
class Maker {
 public:
  Maker(WorkloadRequest& request, const compiler::Machine& machine)
      : request_(request), machine_(machine), random_(request.seed) {}

  std::int64_t operator[](const std::string& name) const { return request_.shape.at(name); }

  /// Throws unless a tensor of this shape can be in the cube's memory at all, before the host allocates it.
  void require_fits(const Shape& shape) const {
    const auto elements = static_cast<std::uint64_t>(network::element_count(shape));
    if (elements > machine_.memory_bytes / sizeof(float)) {
      bad_input(
          "{}: a tensor of {} ({} of fp32) does not fit the cube's memory of {} (key memory.capacity_bytes)",
          request_.name, network::to_string(shape),
          elements > UINT64_MAX / 4 ? "too many bytes" : base::format_bytes(elements * 4),
          base::format_bytes(machine_.memory_bytes));
    }
  }

  Tensor random(const Shape& shape, float scale = 1.0f) {
    require_fits(shape);
    Tensor tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor[i] = random_.normal() * scale;
    return tensor;
  }

  /// The workload's first operand. `names`: the options that its extents are, outermost first ("" for a 1
  /// that needs no option). An input of fewer dimensions gets leading ones; options not given take its
  /// extents.
  Tensor input(const std::vector<std::string>& names, bool flat = false) {
    if (request_.input == "random") return random(shape_of(names));
    Tensor tensor = read();
    if (tensor.size() == 0) {
      bad_input("--input {}: its shape is {}: there is nothing in it", request_.input,
                network::to_string(tensor.shape()));
    }
    if (flat) tensor = tensor.reshaped({tensor.size()});
    Shape shape = tensor.shape();
    while (shape.size() > names.size() && shape.front() == 1) shape.erase(shape.begin());
    if (shape.size() > names.size()) {
      bad_input("--input {}: its shape is {}, but {} takes {} dimensions", request_.input,
                network::to_string(tensor.shape()), request_.name, names.size());
    }
    while (shape.size() < names.size()) shape.insert(shape.begin(), 1);
    for (std::size_t d = 0; d < names.size(); ++d) {
      std::int64_t& value = request_.shape.at(names[d]);
      if (request_.given.count(names[d]) != 0 && value != shape[d]) {
        bad_input("{} does not fit --input {}, whose shape is {}", given_option(names[d], value),
                  request_.input, network::to_string(tensor.shape()));
      }
      value = shape[d];
    }
    require_fits(shape);
    return tensor.reshaped(shape);
  }

 private:
  Shape shape_of(const std::vector<std::string>& names) const {
    Shape shape;
    for (const std::string& name : names) shape.push_back((*this)[name]);
    return shape;
  }

  Tensor read() const {
    if (!request_.input.starts_with(kFashionMnist)) return network::read_npy(request_.input);
    const std::string index = request_.input.substr(kFashionMnist.size());
    std::int64_t first = 0;
    const auto result = std::from_chars(index.data(), index.data() + index.size(), first);
    if (index.empty() || result.ec != std::errc() || result.ptr != index.data() + index.size()) {
      bad_input("--input {}: \"{}\" is not the number of an image, as in fashion-mnist:7", request_.input,
                index);
    }
    const auto batch = request_.shape.find("batch");
    return network::FashionMnist(network::FashionMnist::Part::kTest)
        .images(first, batch == request_.shape.end() ? 1 : batch->second);
  }

  WorkloadRequest& request_;
  const compiler::Machine& machine_;
  base::Random random_;
};

Tensor tensor_of(const Shape& shape, reference::Values values) { return Tensor(shape, std::move(values)); }

Case make_conv2d(WorkloadRequest& request, const compiler::Machine& machine) {
  Maker make(request, machine);
  const Tensor input = make.input({"batch", "in-channels", "height", "width"});
  const compiler::Conv2dShape shape{.batch = make["batch"],
                                    .in_channels = make["in-channels"],
                                    .out_channels = make["out-channels"],
                                    .height = make["height"],
                                    .width = make["width"],
                                    .kernel = make["kernel"],
                                    .stride = make["stride"],
                                    .pad = make["pad"],
                                    .relu = request.relu};
  // Variance 1 in, variance 1 out.
  const auto fan_in = static_cast<float>(shape.in_channels) * static_cast<float>(shape.kernel * shape.kernel);
  const Tensor weights = make.random(shape.weights(), 1.0f / std::sqrt(fan_in));
  std::optional<Tensor> bias;
  if (request.bias) bias = make.random(shape.bias());
  Case result;
  result.title = fmt::format("conv2d {} * {}, stride {}, pad {}{}{}", network::to_string(shape.input()),
                             network::to_string(shape.weights()), shape.stride, shape.pad,
                             bias ? ", bias" : "", shape.relu ? ", ReLU" : "");
  result.workload = compiler::make_conv2d(shape, input, weights, bias, machine);
  result.reference = [=] {
    const reference::Conv2d twin{.batch = shape.batch,
                                 .in_channels = shape.in_channels,
                                 .out_channels = shape.out_channels,
                                 .height = shape.height,
                                 .width = shape.width,
                                 .kernel_height = shape.kernel,
                                 .kernel_width = shape.kernel,
                                 .stride = shape.stride,
                                 .pad = shape.pad,
                                 .relu = shape.relu};
    return std::vector{tensor_of(shape.output(), reference::conv2d(twin, view(input), view(weights),
                                                                   bias ? view(*bias) : reference::View()))};
  };
  return result;
}

Case make_gemm(WorkloadRequest& request, const compiler::Machine& machine) {
  Maker make(request, machine);
  const Tensor a = make.input({"m", "k"});
  const compiler::GemmShape shape{.m = make["m"], .n = make["n"], .k = make["k"]};
  const Tensor b = make.random({shape.k, shape.n});
  make.require_fits({shape.m, shape.n});
  Case result;
  result.title = fmt::format("gemm {}x{} * {}x{}", shape.m, shape.k, shape.k, shape.n);
  result.workload = compiler::make_gemm(shape, a, b, machine);
  result.reference = [=] {
    return std::vector{
        tensor_of({shape.m, shape.n}, reference::gemm(shape.m, shape.n, shape.k, view(a), view(b)))};
  };
  return result;
}

Case make_gemv(WorkloadRequest& request, const compiler::Machine& machine) {
  Maker make(request, machine);
  const Tensor a = make.input({"m", "n"});
  const compiler::GemvShape shape{.m = make["m"], .n = make["n"]};
  const Tensor x = make.random({shape.n});
  Case result;
  result.title = fmt::format("gemv {}x{} * {}", shape.m, shape.n, shape.n);
  result.workload = compiler::make_gemv(shape, a, x, machine);
  result.reference = [=] {
    return std::vector{tensor_of({shape.m}, reference::gemv(shape.m, shape.n, view(a), view(x)))};
  };
  return result;
}

Case make_axpy(WorkloadRequest& request, const compiler::Machine& machine) {
  Maker make(request, machine);
  const Tensor x = make.input({"n"}, true);
  const compiler::AxpyShape shape{.n = make["n"]};
  const Tensor y = make.random({shape.n});
  const float a = make.random({1})[0];
  Case result;
  result.title = fmt::format("axpy of {} elements", shape.n);
  result.workload = compiler::make_axpy(shape, a, x, y, machine);
  result.reference = [=] { return std::vector{tensor_of({shape.n}, reference::axpy(a, view(x), view(y)))}; };
  return result;
}

Case make_maxpool(WorkloadRequest& request, const compiler::Machine& machine) {
  Maker make(request, machine);
  const Tensor input = make.input({"batch", "channels", "height", "width"});
  const compiler::PoolShape shape{.batch = make["batch"],
                                  .channels = make["channels"],
                                  .height = make["height"],
                                  .width = make["width"],
                                  .kernel = make["kernel"],
                                  .stride = make["stride"],
                                  .pad = make["pad"]};
  Case result;
  result.title = fmt::format("maxpool {}, window {}, stride {}, pad {}", network::to_string(shape.input()),
                             shape.kernel, shape.stride, shape.pad);
  result.workload = compiler::make_max_pool(shape, input, machine);
  result.reference = [=] {
    const reference::MaxPool twin{.batch = shape.batch,
                                  .channels = shape.channels,
                                  .height = shape.height,
                                  .width = shape.width,
                                  .kernel = shape.kernel,
                                  .stride = shape.stride,
                                  .pad = shape.pad};
    return std::vector{tensor_of(shape.output(), reference::max_pool(twin, view(input)))};
  };
  return result;
}

Case make_relu(WorkloadRequest& request, const compiler::Machine& machine) {
  Maker make(request, machine);
  const Tensor input = make.input({"n"}, true);
  const compiler::ReluShape shape{.n = make["n"]};
  Case result;
  result.title = fmt::format("relu of {} elements", shape.n);
  result.workload = compiler::make_relu(shape, input, machine);
  result.reference = [=] { return std::vector{tensor_of({shape.n}, reference::relu(view(input)))}; };
  return result;
}

Case make_laplace(WorkloadRequest& request, const compiler::Machine& machine,
                  const std::vector<std::string>& names) {
  Maker make(request, machine);
  const Tensor field = make.input(names);
  Case result;
  result.title = fmt::format("{} of {}", request.name, network::to_string(field.shape()));
  result.workload = compiler::make_laplace({.extents = field.shape()}, field, machine);
  result.reference = [=] {
    return std::vector{tensor_of(field.shape(), reference::laplace(field.shape(), view(field)))};
  };
  return result;
}

Case make_diffusion(WorkloadRequest& request, const compiler::Machine& machine) {
  Maker make(request, machine);
  const bool volume = make["depth"] > 1;
  const Tensor field = make.input(volume ? std::vector<std::string>{"depth", "height", "width"}
                                         : std::vector<std::string>{"height", "width"});
  const auto rate = static_cast<float>(request.rate);
  const auto steps = static_cast<int>(make["steps"]);
  Case result;
  result.title =
      fmt::format("diffusion of {}, {} steps, rate {}", network::to_string(field.shape()), steps, rate);
  result.workload = compiler::make_diffusion({.extents = field.shape()}, field, rate, steps, machine);
  result.reference = [=] {
    return std::vector{
        tensor_of(field.shape(), reference::diffusion(field.shape(), view(field), rate, steps))};
  };
  return result;
}

}  // namespace

const std::vector<WorkloadKind>& workload_kinds() {
  static const std::vector<WorkloadKind> kinds = {
      {"conv2d",
       "2-D convolution",
       "nearcube run conv2d --in-channels 16 --out-channels 32 --height 32 --width 32 --kernel 3 --pad 1",
       {{"batch", 1, "images"},
        {"in-channels", 8, "input channels"},
        {"out-channels", 8, "output channels"},
        {"height", 32, "input rows"},
        {"width", 32, "input columns"},
        {"kernel", 3, "rows and columns of the kernel"},
        {"stride", 1, "input rows and columns from output to output"},
        {"pad", 0, "rows and columns of zeros on each side", 0}}},
      {"gemm",
       "matrix product, m x k times k x n",
       "nearcube run gemm --m 64 --n 64 --k 256 --json gemm.json",
       {{"m", 64, "rows of A and C"}, {"n", 64, "columns of B and C"}, {"k", 64, "columns of A, rows of B"}}},
      {"gemv",
       "matrix times vector, m x n times n",
       "nearcube run gemv --m 256 --n 256",
       {{"m", 256, "rows of A"}, {"n", 256, "columns of A"}}},
      {"axpy", "y = a x + y", "nearcube run axpy --n 10000", {{"n", 4096, "elements"}}},
      {"maxpool",
       "2-D maximum pooling",
       "nearcube run maxpool --input fashion-mnist:7 --kernel 2 --stride 2",
       {{"batch", 1, "images"},
        {"channels", 8, "channels"},
        {"height", 32, "input rows"},
        {"width", 32, "input columns"},
        {"kernel", 2, "rows and columns of the window"},
        {"stride", 2, "input rows and columns from output to output"},
        {"pad", 0, "rows and columns of -Inf on each side", 0}}},
      {"relu", "rectifier", "nearcube run relu --n 10000", {{"n", 4096, "elements"}}},
      {"laplace1d",
       "1-D Laplace operator",
       "nearcube run laplace1d --width 10000",
       {{"width", 4096, "points"}}},
      {"laplace2d",
       "2-D Laplace operator",
       "nearcube run laplace2d --height 100 --width 100",
       {{"height", 64, "rows"}, {"width", 64, "columns"}}},
      {"laplace3d",
       "3-D Laplace operator",
       "nearcube run laplace3d --depth 20 --height 20 --width 20",
       {{"depth", 16, "planes"}, {"height", 16, "rows"}, {"width", 16, "columns"}}},
      {"diffusion",
       "steps of explicit diffusion",
       "nearcube run diffusion --height 64 --width 64 --steps 4 --rate 0.2",
       {{"depth", 1, "planes (1: two dimensions)"},
        {"height", 64, "rows"},
        {"width", 64, "columns"},
        {"steps", 2, "sweeps over the field"}}},
  };
  return kinds;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const WorkloadKind& kind : workload_kinds()) names.emplace_back(kind.name);
  return names;
}

Case make_case(WorkloadRequest request, const compiler::Machine& machine) {
  Case result;
  if (request.name == "conv2d") {
    result = make_conv2d(request, machine);
  } else if (request.name == "gemm") {
    result = make_gemm(request, machine);
  } else if (request.name == "gemv") {
    result = make_gemv(request, machine);
  } else if (request.name == "axpy") {
    result = make_axpy(request, machine);
  } else if (request.name == "maxpool") {
    result = make_maxpool(request, machine);
  } else if (request.name == "relu") {
    result = make_relu(request, machine);
  } else if (request.name == "laplace1d") {
    result = make_laplace(request, machine, {"width"});
  } else if (request.name == "laplace2d") {
    result = make_laplace(request, machine, {"height", "width"});
  } else if (request.name == "laplace3d") {
    result = make_laplace(request, machine, {"depth", "height", "width"});
  } else if (request.name == "diffusion") {
    result = make_diffusion(request, machine);
  } else {
    bad_input("unknown workload \"{}\"{}; there are {}", request.name,
              base::did_you_mean(request.name, workload_names()), fmt::join(workload_names(), ", "));
  }
  for (const WorkloadKind& kind : workload_kinds()) {
    if (request.name != kind.name) continue;
    for (const ShapeOption& option : kind.options) result.shape[option.name] = request.shape.at(option.name);
  }
  return result;
}

}  // namespace nearcube::cli
