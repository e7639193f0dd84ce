// Parameters fitted to timed iterations that are made of known ones.
#include "simulation/calibration/calibrate.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace orrery;

namespace {

// What runs are made of: operations at a share of the peak, bytes at a share of the bandwidth, and
// launches, so that a run takes work / matrix + traffic / memory + launches x launch.
struct Run {
  double work, traffic, launches;
  double noise;  // of its timing
};

// Shares of the three between 5 and 90 %, and timings that are 1 % off, up and down.
constexpr std::array runs{
    Run{8.0, 0.5, 100, 1.01},  Run{6.0, 2.0, 100, 0.99},  Run{4.0, 4.0, 100, 1.01},
    Run{2.0, 6.0, 100, 0.99},  Run{0.5, 8.0, 100, 1.01},  Run{8.0, 1.0, 3000, 0.99},
    Run{4.0, 4.0, 3000, 1.01}, Run{1.0, 8.0, 3000, 0.99}, Run{1.0, 1.0, 9000, 1.01},
    Run{0.5, 0.5, 9000, 0.99}, Run{2.0, 0.5, 9000, 1.01}, Run{0.5, 2.0, 9000, 0.99},
};

double seconds(const Run& run, double matrix, double memory, double launch) {
  return run.work / matrix + run.traffic / memory + run.launches * launch;
}

constexpr double true_matrix = 0.62, true_memory = 0.8, true_launch = 4e-4;

CalibrationModel model_of(double with_noise) {
  return [with_noise](std::span<const double> values, std::span<const std::size_t> rows) {
    std::vector<double> residuals;
    for (const std::size_t row : rows) {
      const double measured = seconds(runs[row], true_matrix, true_memory, true_launch) *
                              std::pow(runs[row].noise, with_noise);
      residuals.push_back(std::log(seconds(runs[row], values[0], values[1], values[2]) / measured));
    }
    return residuals;
  };
}

const std::vector<CalibrationParameter> three{
    {"matrix", 0.4, 1}, {"memory", 0.5, 1}, {"launch", 1e-4, 1}};

}  // namespace

TEST_CASE("known parameters are found again, from timings that are 1 % off") {
  const Calibration exact = calibrate(three, runs.size(), model_of(0));
  CHECK(exact.parameters[0].value == Approx(true_matrix).epsilon(1e-3));
  CHECK(exact.parameters[1].value == Approx(true_memory).epsilon(1e-3));
  CHECK(exact.parameters[2].value == Approx(true_launch).epsilon(1e-3));
  const Calibration noisy = calibrate(three, runs.size(), model_of(1));
  CHECK(noisy.parameters[0].value == Approx(true_matrix).epsilon(0.02));
  CHECK(noisy.parameters[1].value == Approx(true_memory).epsilon(0.02));
  CHECK(noisy.parameters[2].value == Approx(true_launch).epsilon(0.02));
  for (const FittedParameter& parameter : noisy.parameters) {
    CHECK(parameter.determined);
    CHECK(parameter.relative_error < 0.02);
  }
  // A fit without a row misses it by more than one with it, and by no more than a few per cent.
  for (std::size_t row = 0; row < runs.size(); ++row) {
    REQUIRE(noisy.left_out[row]);
    CHECK(std::abs(*noisy.left_out[row]) >= std::abs(noisy.residuals[row]));
    CHECK(std::abs(*noisy.left_out[row]) < 0.04);
  }
}

// A second share of the same operations: only the product of both can be told.
TEST_CASE("of two parameters that do the same one is not determined") {
  const auto model = [](std::span<const double> values, std::span<const std::size_t> rows) {
    std::vector<double> residuals;
    for (const std::size_t row : rows)
      residuals.push_back(
          std::log(seconds(runs[row], values[0] * values[1], true_memory, true_launch) /
                   seconds(runs[row], true_matrix, true_memory, true_launch)));
    return residuals;
  };
  const Calibration fit = calibrate({{"matrix", 0.5, 1}, {"tiles", 0.9, 1}}, runs.size(), model);
  CHECK(fit.parameters[0].determined);
  CHECK(fit.parameters[0].value * 0.9 == Approx(true_matrix).epsilon(1e-3));
  CHECK_FALSE(fit.parameters[1].determined);
  CHECK(fit.parameters[1].value == 0.9);
  CHECK(fit.parameters[1].exchangeable_with == "matrix");
}

// A run that computes only says nothing of memory, and there is no row to leave out.
TEST_CASE("what hardly changes the times is not determined") {
  const auto model = [](std::span<const double> values, std::span<const std::size_t> rows) {
    std::vector<double> residuals;
    for (std::size_t i = 0; i < rows.size(); ++i)
      residuals.push_back(std::log((1 / values[0] + 0.001 / values[1]) / (1 / 0.7 + 0.001 / 0.7)));
    return residuals;
  };
  const Calibration fit = calibrate({{"matrix", 0.5, 1}, {"memory", 0.7, 1}}, 1, model);
  CHECK(fit.parameters[0].value == Approx(0.7).epsilon(1e-3));
  CHECK_FALSE(fit.parameters[1].determined);
  CHECK(fit.parameters[1].value == 0.7);
  CHECK_FALSE(fit.left_out[0]);
}
