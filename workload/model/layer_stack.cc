#include "workload/model/layer_stack.h"

#include <string>
#include <utility>

namespace orrery {

namespace {

enum class Bias : std::uint8_t { none, each_channel };

// `pixels`: height and width of the output.
StackLayer convolution(std::string name, std::int64_t kernel, std::int64_t in, std::int64_t out,
                       std::int64_t pixels, std::int64_t stride, Bias bias) {
  StackLayer layer;
  layer.name = std::move(name);
  layer.parameters = kernel * kernel * in * out + (bias == Bias::each_channel ? out : 0);
  layer.multiply_adds = kernel * kernel * in * out * pixels * pixels;
  layer.inputs = in * pixels * pixels * stride * stride;
  layer.outputs = out * pixels * pixels;
  return layer;
}

// Scale and shift of each channel are parameters.
StackLayer with_batch_norm(StackLayer layer, std::int64_t channels) {
  layer.parameters += 2 * channels;
  layer.normalised = true;
  return layer;
}

StackLayer dense(std::string name, std::int64_t in, std::int64_t out) {
  return {.name = std::move(name),
          .parameters = in * out + out,
          .multiply_adds = in * out,
          .inputs = in,
          .outputs = out};
}

}  // namespace

LayerStack resnet_50() {
  LayerStack stack;
  const auto add = [&](const std::string& name, std::int64_t kernel, std::int64_t in,
                       std::int64_t out, std::int64_t pixels, std::int64_t stride) {
    stack.push_back(
        with_batch_norm(convolution(name, kernel, in, out, pixels, stride, Bias::none), out));
  };
  add("conv1", 7, 3, 64, 112, 2);
  constexpr int blocks[] = {3, 4, 6, 3};
  std::int64_t channels = 64, pixels = 56;
  for (int stage = 0; stage < 4; ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    for (int block = 0; block < blocks[stage]; ++block) {
      const std::string name = "stage" + std::to_string(stage + 1) + '.' + std::to_string(block);
      const std::int64_t stride = block == 0 && stage > 0 ? 2 : 1;
      add(name + ".conv1", 1, channels, width, pixels, 1);
      pixels /= stride;
      add(name + ".conv2", 3, width, width, pixels, stride);
      add(name + ".conv3", 1, width, 4 * width, pixels, 1);
      if (block == 0) add(name + ".shortcut", 1, channels, 4 * width, pixels, stride);
      channels = 4 * width;
    }
  }
  stack.push_back(dense("fc", channels, 1'000));
  return stack;
}

LayerStack vgg_16() {
  LayerStack stack;
  constexpr int convolutions[] = {2, 2, 3, 3, 3};
  constexpr std::int64_t widths[] = {64, 128, 256, 512, 512};
  std::int64_t channels = 3, pixels = 224;
  for (int stage = 0; stage < 5; ++stage) {
    for (int i = 0; i < convolutions[stage]; ++i) {
      const std::string name = "conv" + std::to_string(stage + 1) + '_' + std::to_string(i + 1);
      stack.push_back(convolution(name, 3, channels, widths[stage], pixels, 1, Bias::each_channel));
      channels = widths[stage];
    }
    pixels /= 2;  // pooling
  }
  stack.push_back(dense("fc6", channels * pixels * pixels, 4'096));
  stack.push_back(dense("fc7", 4'096, 4'096));
  stack.push_back(dense("fc8", 4'096, 1'000));
  return stack;
}

LayerStack multilayer_perceptron(std::int64_t inputs, const std::vector<std::int64_t>& widths) {
  LayerStack stack;
  for (const std::int64_t width : widths) {
    stack.push_back(dense("dense" + std::to_string(stack.size()), inputs, width));
    inputs = width;
  }
  return stack;
}

}  // namespace orrery
