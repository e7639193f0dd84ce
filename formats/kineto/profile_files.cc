#include "formats/kineto/profile_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/units/unit_text.h"

namespace orrery::kineto {

namespace {

std::string head(const std::string& file, const char* as) {
  return fmt::format("# From {} by `orrery import kineto --as {}`.\n", printable(file, 60), as);
}

// The data type with the most calls: an experiment has one time for a shape.
std::string frequent_type(const Profile& profile) {
  std::map<std::string, std::size_t> calls;
  for (const auto& [key, times] : profile.products) calls[key.type] += times.each.size();
  return std::ranges::max_element(calls, {}, [](const auto& type) { return type.second; })->first;
}

}  // namespace

ProfileFile product_times(const Profile& profile, const std::string& file) {
  if (profile.products.empty())
    throw ConfigError(
        {.file = file,
         .what =
             profile.without_shape > 0
                 ? fmt::format("{} matrix products do not say their shapes", profile.without_shape)
                 : "there is no matrix product (aten::mm, aten::addmm) with kernels",
         .remedy = "record with profile(record_shapes=True)"});
  const std::string type = frequent_type(profile);
  ProfileFile made;
  made.text = head(file, "products") + "# As platform.npu.efficiency: {preset: THIS FILE}; type " +
              type + ".\nproducts:\n";
  std::size_t others = 0;
  for (const auto& [key, times] : profile.products) {
    if (key.type != type) {
      others += times.each.size();
      continue;
    }
    made.text += fmt::format("  - {{rows: {}, columns: {}, depth: {}, time: {}}}  # {} call{}\n",
                             key.rows, key.columns, key.depth, exact_text(times.quantile(0.5)),
                             times.each.size(), times.each.size() == 1 ? "" : "s");
  }
  if (others > 0)
    made.left_out.push_back(
        fmt::format("{} products of other data types than {} are left out", others, type));
  if (profile.without_shape > 0)
    made.left_out.push_back(
        fmt::format("{} products do not say their shapes", profile.without_shape));
  if (profile.batches > 0)
    made.left_out.push_back(
        fmt::format("{} batched products are left out: no key holds them", profile.batches));
  return made;
}

std::string collective_times(const Profile& profile, const std::string& file) {
  if (profile.collectives.empty())
    throw ConfigError({.file = file,
                       .what = profile.without_size > 0
                                   ? fmt::format("{} kernels of communication do not say what they "
                                                 "move",
                                                 profile.without_size)
                                   : "there is no communication in it",
                       .remedy = profile.without_size > 0
                                     ? "record with PyTorch 2.1 or later, which writes sizes"
                                     : "name a trace of a job with several ranks"});
  std::string text = head(file, "coll") +
                     "# The shortest of each: the others wait for other ranks.\n" +
                     "op,ranks,bytes,time_us,number\n";
  for (const auto& [key, times] : profile.collectives)
    text += fmt::format("{},{},{},{},{}\n", key.name, key.ranks, key.size.value,
                        static_cast<double>(times.quantile(0).value) / 1e6, times.each.size());
  return text;
}

}  // namespace orrery::kineto
