#include "report/csv_report.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/report/sample_result.h"

using namespace orrery;

TEST_CASE("CSV tables have the columns of docs/results.md", "[report]") {
  const std::vector<RunResult> results{test::sample(), test::faster_sample()};
  CHECK(
      csv_table("summary.csv", results) ==
      "system,backend,seed,fingerprint,partial,partial_reason,ranks,iterations,finish_ps,"
      "iteration_ps,compute_ps,exposed_ps,idle_ps,bound_ps,bound_by,ratio_to_fastest,events,"
      "messages,wall_s,cpu_s,peak_rss_bytes,version,commit,inputs\n"
      "Ring,analytical,7,00112233445566778899aabbccddeeff,false,,2,2,100000000,50000000,40000000,"
      "50000000,10000000,80000000,fabric,1.3333333333333333,123,45,0.5,0.25,3000000,1.2.3,abc,"
      "0123456789abcdef\n"
      "Switch,analytical,7,00112233445566778899aabbccddeeff,false,,2,2,75000000,37500000,40000000,"
      "25000000,10000000,80000000,fabric,1,123,45,0.5,0.25,3000000,1.2.3,abc,0123456789abcdef\n");
  CHECK(csv_table("exposed.csv", results) ==
        "system,kind,exposed_ps\n"
        "Ring,all_reduce,30000000\n"
        "Ring,all_to_all forward,20000000\n"
        "Switch,all_reduce,25000000\n");
  CHECK(csv_table("levels.csv", results) ==
        "system,level,collective,bytes\n"
        "Ring,fabric,all_reduce,4000000\n"
        "Ring,fabric,all_to_all,8000\n"
        "Switch,node,all_reduce,16000\n"
        "Switch,fabric,all_reduce,500000\n");
}

TEST_CASE("CSV tables of layers, links and ranks", "[report]") {
  RunResult result = test::sample();
  result.layers.resize(3);
  CHECK(csv_table("layers.csv", {&result, 1}) ==
        "system,iteration,layer,pass,collective,bytes,compute_ps,raw_ps,raw_max_ps,raw_bound_ps,"
        "exposed_ps,ranks,algorithms\n"
        "Ring,1,emb,forward,all_to_all,4000,0,12000000,12000000,6000000,10000000,2,ring\n"
        "Ring,1,emb,input_gradient,,0,0,0,0,0,0,0,\n"
        "Ring,1,\"top, 0\",weight_gradient,all_reduce,1000000,20000000,25500000,25500000,12750000,"
        "15000000,2,ring\n");
  CHECK(csv_table("links.csv", {&result, 1}) ==
        "system,source,target,level,bytes,utilisation\n"
        "Ring,npu 0,npu 1,fabric,2004000,0.8016\n"
        "Ring,npu 1,npu 0,fabric,2004000,0.8016\n");
  CHECK(csv_table("ranks.csv", {&result, 1}) ==
        "system,rank,multiplicity,finish_ps,compute_ps,exposed_ps,idle_ps,stolen_ps\n"
        "Ring,0,1,100000000,40000000,50000000,10000000,0\n"
        "Ring,1,1,90000000,40000000,50000000,0,0\n");
}

TEST_CASE("a partial run is marked in summary.csv and has no ratio", "[report]") {
  RunResult result = test::sample();
  result.partial = true;
  result.partial_reason = "interrupted";
  result.name = "say \"hi\"";
  CHECK_THAT(csv_table("summary.csv", {&result, 1}),
             Catch::Contains("\n\"say \"\"hi\"\"\",analytical,") &&
                 Catch::Contains(",true,interrupted,2,2,100000000,,40000000,") &&
                 Catch::Contains(",fabric,,123,"));
}
