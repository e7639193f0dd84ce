// Fits parameters of a model to measured times: least squares of the logarithms of simulated over
// measured time, by Gauss-Newton steps with Levenberg's damping (D. Marquardt, SIAM J. Applied
// Mathematics 11(2), 1963), and says which parameters the rows do not determine.
//
// Near the solution the errors of the parameters' logarithms have the covariance s^2 (J'J)^-1, with
// the slopes J and the scatter s of the residuals, at least that of a timing, 1 %. A parameter
// whose standard error is more than a quarter of its value is not determined. It keeps the value
// that it had, and the others are fitted again: of two that are exchangeable one is left.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orrery {

struct CalibrationParameter {
  std::string name;
  double start = 0;    // > 0
  double highest = 0;  // that it may have: 1 of a share
};

// log(simulated / measured) of some rows, by number, with these values of the parameters.
using CalibrationModel = std::function<std::vector<double>(std::span<const double> values,
                                                           std::span<const std::size_t> rows)>;

struct FittedParameter {
  std::string name;
  double value = 0;
  bool determined = true;
  double relative_error = 0;      // standard error over value; when it was still fitted
  std::string exchangeable_with;  // the parameter that does most of the same; "" = none
};

struct Calibration {
  std::vector<FittedParameter> parameters;      // as given
  std::vector<double> residuals;                // log(simulated / measured) of each row
  std::vector<std::optional<double>> left_out;  // the same with what a fit without the row has, to
                                                // first order; none if the others do not determine
                                                // the parameters
};

// REQUIRES: rows > 0, at least one parameter.
Calibration calibrate(const std::vector<CalibrationParameter>& parameters, std::size_t rows,
                      const CalibrationModel& model);

}  // namespace orrery
