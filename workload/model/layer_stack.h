// Models that are a stack of layers, each replica of which has all of them: vision networks, MLPs.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload_spec.h"

namespace orrery {

// K. He et al., "Deep residual learning", CVPR 2016, table 1, 50 layers, the stride of a stage in
// its 3 x 3 convolution (v1.5): 25,557,032 parameters, 4.09 G multiply-adds for 224 x 224 pixels.
LayerStack resnet_50();
// K. Simonyan, A. Zisserman, "Very deep convolutional networks", ICLR 2015, column D: 138,357,544
// parameters, 15.47 G multiply-adds.
LayerStack vgg_16();
// Dense layers with bias, from `inputs` to each of the widths in turn.
LayerStack multilayer_perceptron(std::int64_t inputs, const std::vector<std::int64_t>& widths);

}  // namespace orrery
