#include "workload/model/layer_stack.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

struct Totals {
  std::int64_t parameters = 0, multiply_adds = 0;
};

Totals totals(const LayerStack& stack) {
  Totals sum;
  for (const StackLayer& layer : stack) {
    sum.parameters += layer.parameters;
    sum.multiply_adds += layer.multiply_adds;
  }
  return sum;
}

// The totals that torchvision states of resnet50 and vgg16: 25,557,032 parameters, 4.09 GMAC;
// 138,357,544, 15.47 GMAC.
TEST_CASE("vision networks have the published parameters and multiply-adds") {
  const LayerStack resnet = resnet_50();
  CHECK(resnet.size() == 54);  // 1 + 3 (3 + 4 + 6 + 3) + 4 shortcuts + 1
  CHECK(totals(resnet).parameters == 25'557'032);
  CHECK(totals(resnet).multiply_adds == 4'089'184'256);
  CHECK(totals(vgg_16()).parameters == 138'357'544);
  CHECK(totals(vgg_16()).multiply_adds == 15'470'264'320);
}

TEST_CASE("single layers by hand") {
  const LayerStack resnet = resnet_50();
  CHECK(resnet[0].parameters == 7 * 7 * 3 * 64 + 2 * 64);
  CHECK(resnet[0].multiply_adds == 118'013'952);  // 147 x 64 x 112 x 112
  CHECK(resnet[0].inputs == 3 * 224 * 224);
  CHECK(resnet[0].outputs == 64 * 112 * 112);
  // The first block of the second stage: 256 channels of 56 x 56 to 128, then 28 x 28.
  const StackLayer& reduces = resnet[1 + 4 + 3 + 3];
  CHECK(reduces.name == "stage2.0.conv1");
  CHECK(reduces.multiply_adds == 256LL * 128 * 56 * 56);
  const StackLayer& strides = resnet[1 + 4 + 3 + 3 + 1];
  CHECK(strides.multiply_adds == 9LL * 128 * 128 * 28 * 28);
  CHECK(strides.inputs == 128 * 56 * 56);
  CHECK(resnet.back().parameters == 2'049'000);
}

TEST_CASE("an MLP is a chain of dense layers with bias") {
  const LayerStack stack = multilayer_perceptron(10, {20, 5});
  REQUIRE(stack.size() == 2);
  CHECK(stack[0].parameters == 220);
  CHECK(stack[1].parameters == 105);
  CHECK(stack[1].multiply_adds == 100);
}

}  // namespace
}  // namespace orrery
