// Student's t distribution, for any number of degrees of freedom. Pure.
#pragma once

namespace ringside::compare {

// How likely a value at least as far from 0 as `t`, on either side, is by chance. `freedom` > 0.
double student_two_sided(double t, double freedom);

// The t that is exceeded on either side with this probability: 0.05 gives the 95 % interval.
double student_quantile(double two_sided, double freedom);

}  // namespace ringside::compare
