// Who exchanges what in a job with experts or shared sequences, and what each rank is handed.
#include <catch2/catch.hpp>
#include <map>

#include "tests/workload/describe_job.h"
#include "workload/parallelism/stage_layout.h"
#include "workload/workload.h"

using namespace orrery;

namespace {

// 16 ranks: t = 2, d = 8, sequence parallel; 4 experts over e = 4, so d_e = 4. Layer 0 is dense.
TransformerWorkload small_experts() {
  TransformerWorkload workload;
  workload.model.layers = 3;
  workload.model.hidden = 8;
  workload.model.heads = 2;
  workload.model.vocabulary = 16;
  workload.model.sequence = 16;
  workload.model.element = Bytes{2};
  workload.model.experts.count = 4;
  workload.model.experts.top_k = 2;
  workload.model.experts.first_dense = 1;
  workload.training.tensor = 2;
  workload.training.sequence_parallel = true;
  workload.training.data = 8;
  workload.training.global_batch = 8;
  workload.training.experts.parallel = 4;
  return workload;
}

std::vector<CollectiveCall> calls(const TransformerWorkload& workload, Rank rank,
                                  const std::string& communicator) {
  Job job = make_transformer_job(workload, 1);
  std::vector<CollectiveCall> found;
  for (const Operation& operation : test::drain(job, rank))
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
      if (job.communicators[call->communicator].name == communicator) found.push_back(*call);
  return found;
}

const Grouping& groups_of(const Job& job, const std::string& name) {
  for (const Communicator& communicator : job.communicators)
    if (communicator.name == name) return communicator.groups;
  throw std::runtime_error("no communicator " + name);
}

using Extents = std::vector<Extent>;

}  // namespace

TEST_CASE("expert groups are folded into those of attention") {
  TransformerWorkload workload = small_experts();
  CHECK(std::get<Extents>(groups_of(make_transformer_job(workload, 1), "expert")) ==
        Extents{{4, 1}});
  CHECK(std::get<Extents>(groups_of(make_transformer_job(workload, 1), "expert data")) ==
        Extents{{4, 4}});
  // q = 2: neighbours share an expert, every second rank has another one.
  workload.training.experts.tensor = 2;
  const Job cut = make_transformer_job(workload, 1);
  CHECK(std::get<Extents>(groups_of(cut, "expert")) == Extents{{4, 2}});
  CHECK(std::get<Extents>(groups_of(cut, "expert tensor")) == Extents{{2, 1}});
  CHECK(std::get<Extents>(groups_of(cut, "expert all")) == Extents{{8, 1}});
  CHECK(std::get<Extents>(groups_of(cut, "expert data")) == Extents{{2, 8}});
}

// Layers 1 and 2 have an expert of 2 x 8 x 32 parameters on each rank. The rest: embedding 16 x 8 /
// 2, three times attention 4 x 64 / 2 + 8, an MLP 2 x 8 x 32 / 2 + 8, twice a router 4 x 8 and a
// norm, and the final norm (the matrix is the embedding's). One bucket each, 4 B an element.
TEST_CASE("gradients of experts are exchanged in buckets and groups of their own") {
  const auto experts = calls(small_experts(), 0, "expert data");
  REQUIRE(experts.size() == 1);
  CHECK(experts[0].size.value == 4 * 2 * (2 * 8 * 32));
  const auto rest = calls(small_experts(), 0, "data");
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].size.value == 4 * (64 + 3 * (128 + 8) + (256 + 8) + 2 * (32 + 8) + 8));
}

// As ZeRO-1, each kind of parameters is scattered and gathered over its own group.
TEST_CASE("sharded optimizer states of experts") {
  TransformerWorkload workload = small_experts();
  workload.training.sharding = Sharding::zero1;
  const auto experts = calls(workload, 0, "expert data");
  REQUIRE(experts.size() == 2);
  CHECK(experts[0].kind == Collective::reduce_scatter);
  CHECK(experts[1].kind == Collective::all_gather);
  CHECK(experts[1].size.value == 2 * 2 * (2 * 8 * 32));
}

// Experts of layers of a chunk that has none have no bucket, and gathers of zero3 know it. A unit
// ends with its experts: what a part without experts takes does not keep them on the rank, and the
// backward pass of the head does not wait for the last layer's.
TEST_CASE("units of experts end with their last experts") {
  TransformerWorkload workload = small_experts();
  workload.training.sharding = Sharding::zero3;
  const StageLayout layout = stage_layout(workload, 0, Kept::by_experts);
  std::vector<std::int64_t> sizes;
  for (const ExchangeUnit& unit : layout.units) sizes.push_back(unit.elements);
  CHECK(sizes == std::vector<std::int64_t>{512, 512});
  std::vector<int> units;
  for (const StagePart& part : layout.chunks[0]) units.push_back(part.unit);
  // embedding, attention, mlp, attention, experts, attention, experts, head
  CHECK(units == std::vector<int>{-1, -1, -1, 0, 0, 1, 1, -1});
}

// What a rank sends is what others receive; the work follows what arrived; groups draw apart.
TEST_CASE("drawn loads: pair sizes are shared by a group, work differs by rank") {
  TransformerWorkload workload = small_experts();
  workload.training.experts.load.kind = ExpertLoad::zipf;
  const auto first = calls(workload, 0, "expert"), second = calls(workload, 1, "expert");
  REQUIRE(first.size() > 2);
  // The first is the gathering of counts.
  REQUIRE(first[1].pair_sizes != nullptr);
  CHECK(first[1].kind == Collective::all_to_allv);
  CHECK(*first[1].pair_sizes == *second[1].pair_sizes);
  CHECK(first[1].size == first[1].pair_sizes->largest_row());
  CHECK_FALSE(*first[1].pair_sizes == *calls(workload, 4, "expert")[1].pair_sizes);
  // 8 tokens of a rank, 2 copies each, of 8 x 2 + 4 B; back without the probability.
  CHECK(first[1].pair_sizes->largest_row().value == 16 * 20);
  for (Position i = 0; i < 4; ++i)
    for (Position j = 0; j < 4; ++j)
      CHECK(first[1].pair_sizes->size(i, j).value * 16 ==
            first[2].pair_sizes->size(j, i).value * 20);
  // Products of an expert: 2 x copies x 8 x 32 operations.
  std::int64_t copies = 0;
  for (Position i = 0; i < 4; ++i) copies += first[1].pair_sizes->size(i, 0).value / 20;
  bool found = false;
  Job job = make_transformer_job(workload, 1);
  for (const Operation& operation : test::drain(job, 0))
    if (const auto* work = std::get_if<Compute>(&operation.what))
      found = found || (job.labels[operation.label].layer == "experts" &&
                        work->flops.value == 2 * copies * 8 * 32);
  CHECK(found);
}

// Two nodes of 2 ranks: ranks 0 and 2 are at the same place. What crosses to a node is at most what
// its two ranks get, and inside it all of that goes on.
TEST_CASE("drawn loads, node by node") {
  TransformerWorkload workload = small_experts();
  workload.training.experts.load.kind = ExpertLoad::zipf;
  const auto direct = calls(workload, 0, "expert");
  workload.training.experts.node_ranks = 2;
  const auto crossing = calls(workload, 0, "expert rail");
  const auto inside = calls(workload, 0, "expert node");
  const PairSizes &pairs = *direct[1].pair_sizes, &rail = *crossing[0].pair_sizes,
                  &node = *inside[0].pair_sizes;
  CHECK(rail.ranks() == 2);
  for (Position to = 0; to < 2; ++to) {
    const Bytes both = pairs.size(0, 2 * to) + pairs.size(0, 2 * to + 1);
    CHECK(rail.size(0, to) <= both);
    CHECK(rail.size(0, to) * 2 >= both);  // a token has at most 2 copies in a node
  }
  // Rank 0 passes on what ranks 0 and 2 sent to ranks 0 and 1.
  CHECK(node.size(0, 0) == pairs.size(0, 0) + pairs.size(2, 0));
  CHECK(node.size(0, 1) == pairs.size(0, 1) + pairs.size(2, 1));
}

// t = 2, c = 4: context neighbours are two ranks apart, and the ring closes. d = 2 replicas of 4
// ranks sum gradients over 8; with pipelines in between they are in two strides.
TEST_CASE("context-parallel ranks form rings and take part in the sum of gradients") {
  TransformerWorkload workload = small_experts();
  workload.model.experts = {};
  workload.training.experts = {};
  workload.training.data = 2;
  workload.training.context = 4;
  Job job = make_transformer_job(workload, 1);
  CHECK(job.ranks == 16);
  CHECK(std::get<Extents>(groups_of(job, "context")) == Extents{{4, 2}});
  CHECK(std::get<Extents>(groups_of(job, "data")) == Extents{{8, 2}});
  for (const auto& [rank, next, before] : {std::tuple{1, 3, 7}, {7, 1, 5}, {14, 8, 12}}) {
    for (const Operation& operation : test::drain(job, rank)) {
      if (const auto* send = std::get_if<SendCall>(&operation.what)) CHECK(send->to == next);
      if (const auto* receive = std::get_if<ReceiveCall>(&operation.what))
        CHECK(receive->from == before);
    }
  }
  workload.training.pipeline = 2;
  workload.training.order = RankOrder::tensor_pipeline_data;
  const Job apart = make_transformer_job(workload, 1);
  CHECK(std::get<Extents>(groups_of(apart, "data")) == Extents{{4, 2}, {2, 16}});
}

// t = 2, c = 8 in groups of 2: neighbours exchange heads, and the ring goes over every other of
// them, four ranks apart.
TEST_CASE("context parallelism in two levels: groups, and rings over them") {
  TransformerWorkload workload = small_experts();
  workload.model.experts = {};
  workload.training.experts = {};
  workload.training.data = 1;
  workload.training.context = 8;
  workload.training.context_inner = 2;
  workload.training.context_method = ContextMethod::ulysses_ring;
  Job job = make_transformer_job(workload, 1);
  CHECK(std::get<Extents>(groups_of(job, "context inner")) == Extents{{2, 2}});
  for (const auto& [rank, next, before] : {std::tuple{1, 5, 13}, {13, 1, 9}, {6, 10, 2}}) {
    int sends = 0;
    for (const Operation& operation : test::drain(job, rank)) {
      if (const auto* send = std::get_if<SendCall>(&operation.what)) {
        CHECK(send->to == next);
        ++sends;
      }
      if (const auto* receive = std::get_if<ReceiveCall>(&operation.what))
        CHECK(receive->from == before);
    }
    CHECK(sends == 8 * 3 * 3 * 2);  // micro-batches, layers, steps of the ring, both passes
  }
}

// t = 4 neighbours, two data-parallel groups of them.
TEST_CASE("overlapped tensor parallelism goes round the tensor-parallel ranks") {
  TransformerWorkload workload = small_experts();
  workload.model.experts = {};
  workload.model.heads = 4;
  workload.training.experts = {};
  workload.training.tensor = 4;
  workload.training.data = 2;
  workload.training.overlap_tensor = true;
  Job job = make_transformer_job(workload, 1);
  for (const auto& [rank, next, before] : {std::tuple{0, 1, 3}, {3, 0, 2}, {6, 7, 5}, {7, 4, 6}})
    for (const Operation& operation : test::drain(job, rank)) {
      if (const auto* send = std::get_if<SendCall>(&operation.what)) CHECK(send->to == next);
      if (const auto* receive = std::get_if<ReceiveCall>(&operation.what))
        CHECK(receive->from == before);
    }
}

namespace {

// Four micro-batches of two layers of experts, those of each pair of passes done together.
TransformerWorkload together() {
  TransformerWorkload workload = small_experts();
  workload.model.layers = 2;
  workload.model.experts.first_dense = 0;
  workload.training.tensor = 1;
  workload.training.sequence_parallel = false;
  workload.training.global_batch = 32;
  workload.training.experts.overlap_batches = true;
  workload.training.experts.overlap_shared = false;
  return workload;
}

// All-to-alls between whose call and whose wait no product is computed.
int journeys_alone(const TransformerWorkload& workload) {
  Job job = make_transformer_job(workload, 1);
  int alone = 0;
  std::map<OperationId, bool> beside;  // of those under way: whether there was a product
  for (const Operation& operation : test::drain(job, 0)) {
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what)) {
      if (call->kind == Collective::all_to_all) beside[operation.id] = false;
    } else if (const auto* work = std::get_if<Compute>(&operation.what)) {
      for (auto& [id, product] : beside) product = product || work->flops.value > 0;
    } else if (const auto* wait = std::get_if<Wait>(&operation.what)) {
      if (beside.contains(wait->operation) && !beside.at(wait->operation)) ++alone;
      beside.erase(wait->operation);
    }
  }
  return alone;
}

}  // namespace

// m = 4: the first forward and the last backward pass of four are alone, 2 journeys in each of 2
// layers. In the three pairs between a backward pass begins, so that each journey has a part of the
// other pass beside it: none is alone. Without pairs all 4 x 2 x 4 are.
TEST_CASE("of two passes that go together no journey to experts is alone") {
  TransformerWorkload workload = together();
  CHECK(journeys_alone(workload) == 8);
  workload.training.experts.overlap_batches = false;
  CHECK(journeys_alone(workload) == 32);
}

// Node by node each journey has two legs, one after the other: what the other pass computes until
// its own next journey is divided between them.
TEST_CASE("each leg of a journey node by node has something beside it") {
  TransformerWorkload workload = together();
  workload.training.experts.node_ranks = 2;
  CHECK(journeys_alone(workload) == 16);
  workload.training.experts.overlap_batches = false;
  CHECK(journeys_alone(workload) == 64);
}

// Exchanges of tensor parallelism and of counts do not end a turn: as many journeys are alone.
TEST_CASE("other exchanges of a pass do not disturb its journeys") {
  TransformerWorkload workload = together();
  workload.training.tensor = 2;
  workload.training.sequence_parallel = true;
  workload.training.data = 4;
  workload.training.global_batch = 16;
  CHECK(journeys_alone(workload) == 8);
}
