#include "simulation/calibration/calibrate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/check.h"

namespace orrery {

namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;  // rows

constexpr double undetermined = 1e6;  // a standard error, where there is no inverse

// By Gauss-Jordan, of a symmetric matrix of a handful of rows. Nothing if it is singular.
std::optional<Matrix> inverse(Matrix matrix) {
  const std::size_t size = matrix.size();
  Matrix result(size, Vector(size));
  for (std::size_t i = 0; i < size; ++i) result[i][i] = 1;
  double largest = 0;
  for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, std::abs(matrix[i][i]));
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < size; ++r)
      if (std::abs(matrix[r][i]) > std::abs(matrix[pivot][i])) pivot = r;
    if (std::abs(matrix[pivot][i]) <= 1e-12 * largest) return std::nullopt;
    std::swap(matrix[i], matrix[pivot]);
    std::swap(result[i], result[pivot]);
    const double scale = matrix[i][i];
    for (std::size_t c = 0; c < size; ++c) matrix[i][c] /= scale, result[i][c] /= scale;
    for (std::size_t r = 0; r < size; ++r) {
      const double factor = r == i ? 0 : matrix[r][i];
      for (std::size_t c = 0; c < size; ++c) {
        matrix[r][c] -= factor * matrix[i][c];
        result[r][c] -= factor * result[i][c];
      }
    }
  }
  return result;
}

double sum_of_squares(const Vector& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

// A fit of some of the parameters; the others keep their start.
class Fit {
 public:
  Fit(const std::vector<CalibrationParameter>& parameters, std::vector<std::size_t> free,
      std::size_t rows, const CalibrationModel& model)
      : parameters_(parameters), free_(std::move(free)), rows_(rows), model_(model) {
    for (const CalibrationParameter& parameter : parameters_) values_.push_back(parameter.start);
    std::iota(rows_in_order_.begin(), rows_in_order_.end(), std::size_t{0});
    residuals_ = model_(values_, rows_in_order_);
    minimise();
    find_errors();
  }

  const Vector& values() const { return values_; }
  const Vector& residuals() const { return residuals_; }
  // Of the logarithm of the i-th free parameter.
  double error(std::size_t i) const { return errors_[i]; }
  // The other free parameter that does most of the same.
  std::optional<std::size_t> exchangeable_with(std::size_t i) const;
  std::optional<double> left_out(std::size_t row) const;

 private:
  void minimise();
  void find_slopes();
  void find_errors();
  Matrix normal_matrix(std::optional<std::size_t> without = {}) const;
  Vector step(const Matrix& inverted, std::optional<std::size_t> without = {}) const;
  Vector moved(const Vector& steps) const;

  const std::vector<CalibrationParameter>& parameters_;
  std::vector<std::size_t> free_;
  std::size_t rows_;
  const CalibrationModel& model_;
  std::vector<std::size_t> rows_in_order_ = std::vector<std::size_t>(rows_);
  Vector values_, residuals_, errors_;
  Matrix slopes_;  // of each free parameter: by row
};

void Fit::find_slopes() {
  constexpr double change = 0.05;  // of the logarithm: more than rounded times
  slopes_.clear();
  for (const std::size_t parameter : free_) {
    Vector shifted = values_;
    // Downwards where there is no room above.
    const double sign =
        values_[parameter] * std::exp(change) > parameters_[parameter].highest ? -1 : 1;
    shifted[parameter] *= std::exp(sign * change);
    Vector slope = model_(shifted, rows_in_order_);
    for (std::size_t row = 0; row < rows_; ++row)
      slope[row] = (slope[row] - residuals_[row]) / (sign * change);
    slopes_.push_back(std::move(slope));
  }
}

Matrix Fit::normal_matrix(std::optional<std::size_t> without) const {
  Matrix normal(free_.size(), Vector(free_.size()));
  for (std::size_t i = 0; i < free_.size(); ++i)
    for (std::size_t j = 0; j < free_.size(); ++j)
      for (std::size_t row = 0; row < rows_; ++row)
        if (row != without) normal[i][j] += slopes_[i][row] * slopes_[j][row];
  return normal;
}

Vector Fit::step(const Matrix& inverted, std::optional<std::size_t> without) const {
  Vector steps(free_.size());
  for (std::size_t i = 0; i < free_.size(); ++i)
    for (std::size_t j = 0; j < free_.size(); ++j)
      for (std::size_t row = 0; row < rows_; ++row)
        if (row != without) steps[i] -= inverted[i][j] * slopes_[j][row] * residuals_[row];
  return steps;
}

// In the direction of the step, by at most a factor of e, and not above the highest value.
Vector Fit::moved(const Vector& steps) const {
  double longest = 1;
  for (const double step : steps) longest = std::max(longest, std::abs(step));
  Vector values = values_;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    double& value = values[free_[i]];
    value *= std::exp(steps[i] / longest);
    value = std::min(value, parameters_[free_[i]].highest);
  }
  return values;
}

void Fit::minimise() {
  constexpr int most_rounds = 40;
  double damping = 1e-4;
  for (int round = 0; round < most_rounds && damping < 1e3; ++round) {
    find_slopes();
    Matrix normal = normal_matrix();
    for (std::size_t i = 0; i < free_.size(); ++i) normal[i][i] += damping * normal[i][i] + 1e-12;
    const std::optional<Matrix> inverted = inverse(normal);
    if (!inverted) return;
    const Vector values = moved(step(*inverted));
    Vector residuals = model_(values, rows_in_order_);
    const double gain = sum_of_squares(residuals_) - sum_of_squares(residuals);
    if (gain <= 0) {
      damping *= 30;
      continue;
    }
    values_ = values;
    residuals_ = std::move(residuals);
    damping = std::max(damping / 10, 1e-6);
    if (gain < 1e-7 * static_cast<double>(rows_)) return;
  }
}

void Fit::find_errors() {
  find_slopes();
  errors_.assign(free_.size(), undetermined);
  const std::optional<Matrix> inverted = inverse(normal_matrix());
  if (!inverted || rows_ < free_.size()) return;
  constexpr double of_a_timing = 0.01;
  const auto freedom = static_cast<double>(std::max<std::size_t>(1, rows_ - free_.size()));
  const double scatter = std::max(of_a_timing, std::sqrt(sum_of_squares(residuals_) / freedom));
  for (std::size_t i = 0; i < free_.size(); ++i)
    errors_[i] = scatter * std::sqrt(std::max(0.0, (*inverted)[i][i]));
}

std::optional<std::size_t> Fit::exchangeable_with(std::size_t i) const {
  constexpr double same = 0.95;  // the cosine between slopes
  std::optional<std::size_t> best;
  double most = same;
  for (std::size_t j = 0; j < free_.size(); ++j) {
    const double product =
        std::inner_product(slopes_[i].begin(), slopes_[i].end(), slopes_[j].begin(), 0.0);
    const double norm = std::sqrt(sum_of_squares(slopes_[i]) * sum_of_squares(slopes_[j]));
    if (j == i || norm == 0 || std::abs(product) / norm < most) continue;
    most = std::abs(product) / norm;
    best = free_[j];
  }
  return best;
}

std::optional<double> Fit::left_out(std::size_t row) const {
  if (free_.empty()) return residuals_[row];
  if (rows_ <= free_.size()) return std::nullopt;
  const std::optional<Matrix> inverted = inverse(normal_matrix(row));
  if (!inverted) return std::nullopt;
  const std::size_t rows[] = {row};
  return model_(moved(step(*inverted, row)), rows).front();
}

}  // namespace

Calibration calibrate(const std::vector<CalibrationParameter>& parameters, std::size_t rows,
                      const CalibrationModel& model) {
  CHECK(rows > 0 && !parameters.empty(), "{} rows, {} parameters", rows, parameters.size());
  constexpr double most_error = 0.25;
  Calibration result;
  for (const CalibrationParameter& parameter : parameters)
    result.parameters.push_back({parameter.name, parameter.start, true, 0, ""});
  std::vector<std::size_t> free(parameters.size());
  std::iota(free.begin(), free.end(), std::size_t{0});
  for (;;) {
    const Fit fit(parameters, free, rows, model);
    std::size_t worst = 0;
    for (std::size_t i = 0; i < free.size(); ++i) {
      result.parameters[free[i]].relative_error = fit.error(i);
      if (fit.error(i) >= 0.5 * fit.error(worst)) worst = i;  // of two alike the one named later
    }
    if (!free.empty() && fit.error(worst) > most_error) {
      FittedParameter& left = result.parameters[free[worst]];
      left.determined = false;
      if (const auto other = fit.exchangeable_with(worst))
        left.exchangeable_with = parameters[*other].name;
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(worst));
      continue;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
      result.parameters[i].value = fit.values()[i];
    result.residuals = fit.residuals();
    for (std::size_t row = 0; row < rows; ++row) result.left_out.push_back(fit.left_out(row));
    return result;
  }
}

}  // namespace orrery
