// Logarithm, exponential and power from IEEE basic operations alone: the last bit of those of the C
// library depends on the library and the processor, and random numbers must not.
#pragma once

namespace orrery {

double natural_logarithm(double x);    // REQUIRES: x > 0
double exponential_of(double x);       // REQUIRES: |x| <= 700
double power(double base, double by);  // REQUIRES: base > 0, |by * ln(base)| <= 700

}  // namespace orrery
