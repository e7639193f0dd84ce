#include <algorithm>

#include "simulation/traffic_spec.h"

namespace orrery {

namespace {

struct Point {
  std::int64_t size;
  double percent;
};

std::vector<SizePoint> points(std::initializer_list<Point> all) {
  std::vector<SizePoint> result;
  for (const Point& point : all) result.push_back({bytes(point.size), point.percent / 100});
  return result;
}

}  // namespace

// The points are those of the traffic generator of HPCC (Li et al., SIGCOMM 2019;
// alibaba-edu/High-Precision-Congestion-Control, traffic_gen). Those of data mining are the ones of
// pFabric (Alizadeh et al., SIGCOMM 2013; HKUST-SING/TrafficGenerator, conf/CDF_vl2.txt), which
// counts packets of 1,460 B: 1, 2, 3, 7, 267, 2,107, 66,667 and 666,667.
const std::vector<KnownSizes>& known_sizes() {
  static const std::vector<KnownSizes> all = {
      {"websearch", "web search, mean 1.711 MB (Alizadeh et al., SIGCOMM 2010)",
       points({{0, 0},
               {10'000, 15},
               {20'000, 20},
               {30'000, 30},
               {50'000, 40},
               {80'000, 53},
               {200'000, 60},
               {1'000'000, 70},
               {2'000'000, 80},
               {5'000'000, 90},
               {10'000'000, 97},
               {30'000'000, 100}})},
      {"alistorage", "distributed storage, mean 40.87 kB (Li et al., SIGCOMM 2019)",
       points({{0, 0},
               {4'000, 22.93},
               {8'000, 69.21},
               {16'000, 80.61},
               {32'000, 90.47},
               {64'000, 93.53},
               {128'000, 96.77},
               {256'000, 97.53},
               {2'000'000, 100}})},
      {"hadoop", "Hadoop cluster, mean 120.4 kB (Roy et al., SIGCOMM 2015)",
       points({{0, 0},        {100, 1},          {200, 2},        {300, 5},
               {350, 15},     {400, 20},         {500, 30},       {600, 40},
               {700, 50},     {1'000, 60},       {2'000, 67},     {7'000, 70},
               {30'000, 72},  {50'000, 82},      {80'000, 87},    {120'000, 90},
               {300'000, 95}, {1'000'000, 97.5}, {2'000'000, 99}, {10'000'000, 100}})},
      {"datamining", "data mining, mean 7.470 MB (Greenberg et al., SIGCOMM 2009)",
       points({{1'460, 50},
               {2'920, 60},
               {4'380, 70},
               {10'220, 80},
               {389'820, 90},
               {3'076'220, 95},
               {97'333'820, 99},
               {973'333'820, 100}})}};
  return all;
}

const KnownSizes* find_sizes(std::string_view name) {
  const std::vector<KnownSizes>& all = known_sizes();
  const auto found = std::ranges::find(all, name, &KnownSizes::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace orrery
