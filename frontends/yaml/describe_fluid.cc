#include "frontends/yaml/describe_fluid.h"

namespace orrery::yaml {

void check_fluid(Reader& keys, const FluidSpec& fluid) {
  if (!keys.clean()) return;
  for (std::size_t i = 0; i < fluid.efficiency.size(); ++i) {
    if (fluid.efficiency[i].efficiency.part == 0)
      return keys.wrong_item("efficiency", i, "a message that can use nothing never ends",
                             "write a share of more than 0 %");
    if (i > 0 && fluid.efficiency[i].size <= fluid.efficiency[i - 1].size)
      return keys.wrong_item("efficiency", i, "the sizes do not ascend",
                             "order the points by `size`, the smallest first");
  }
  const Share tolerance = fluid.completion_tolerance;
  if (tolerance.part * 1000 > tolerance.whole)
    keys.wrong("completion_tolerance", "messages would end later than the model allows",
               "write 0.1 % or less");
}

void check_credit(Reader& keys, const CreditSpec& credit) {
  if (keys.clean() && credit.buffer < credit.segment)
    keys.wrong("buffer",
               "a buffer of " + text_of(credit.buffer) + " cannot hold a segment of " +
                   text_of(credit.segment) + ", so nothing would ever be sent",
               "make it larger, or network.credit.segment smaller");
}

}  // namespace orrery::yaml
