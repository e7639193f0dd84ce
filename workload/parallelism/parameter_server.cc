#include "workload/parallelism/parameter_server.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "workload/graph/program.h"
#include "workload/parallelism/stack_job.h"

namespace orrery {

namespace {

// Bytes that adding a gradient moves per byte of it: gradient and parameter read, parameter
// written.
constexpr std::int64_t update_traffic = 3;

// Elements of a bucket that server `server` of `servers` has: equal shares, the first ones get what
// is left.
std::int64_t share_of(std::int64_t elements, std::int32_t server, std::int32_t servers) {
  return elements / servers + (server < elements % servers ? 1 : 0);
}

class ParameterServerSource final : public OperationSource {
 public:
  ParameterServerSource(const StackTraining& training, std::int32_t ranks, std::int32_t iterations);

  void start(Rank rank, std::vector<Operation>& ready) override;
  void finish(Rank rank, OperationId id, std::vector<Operation>& ready) override;
  std::int64_t operation_count(Rank rank) const override;

 private:
  // What a server does for one push: numbered so that all is in the id.
  enum class Step : std::int8_t { receive, update, reply };
  struct Push {
    std::int32_t worker;  // index into workers_
    std::int32_t bucket, iteration;
  };
  // What a server knows of a bucket.
  struct Share {
    std::vector<std::int32_t> updates;  // of each iteration: how many workers' are in
    std::int32_t complete = 0;          // iterations of which all workers' are in
    std::vector<Push> withheld;         // replies, in the order of the updates
  };

  static constexpr std::int32_t not_a_server = -1;

  OperationId id_of(const Push& push, Step step) const {
    const auto buckets = static_cast<OperationId>(buckets_.size());
    const OperationId place = push.worker * buckets + push.bucket;
    return (place * iterations_ + push.iteration) * 3 + static_cast<OperationId>(step);
  }
  std::pair<Push, Step> meaning_of(OperationId id) const;
  Operation operation(std::int32_t server, const Push& push, Step step) const;
  void updated(std::int32_t server, const Push& push, std::vector<Operation>& ready);
  bool may_reply(const Share& share, const Push& push) const {
    return !training_.staleness || share.complete >= push.iteration + 1 - *training_.staleness;
  }

  const StackTraining training_;
  const std::int32_t iterations_;
  std::vector<StackBucket> buckets_;
  std::vector<Rank> workers_;
  std::vector<std::int32_t> server_of_rank_;
  std::vector<std::vector<Share>> servers_;  // by server and bucket
  ProgramSource programs_;                   // of the workers
};

std::vector<Rank> workers_of(const StackTraining& training, std::int32_t ranks) {
  std::vector<Rank> workers;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (std::ranges::find(training.servers, rank) == training.servers.end())
      workers.push_back(rank);
  return workers;
}

// Pushes a bucket to all servers and takes the parameters from each, `first` before the others, so
// that workers do not all turn to the same server.
Program worker_program(const StackTraining& training, const std::vector<StackBucket>& buckets,
                       std::int32_t first, std::int32_t iterations) {
  const auto servers = static_cast<std::int32_t>(training.servers.size());
  StackProgram program(training, [&](StackProgram& writer, std::size_t bucket) {
    std::vector<OperationId> pulls;
    const std::int32_t row = writer.bucket_row(bucket), tag = static_cast<std::int32_t>(bucket);
    for (std::int32_t i = 0; i < servers; ++i) {
      const std::int32_t server = (first + i) % servers;
      const std::int64_t share = share_of(buckets[bucket].parameters, server, servers);
      writer.append(row, SendCall{.to = training.servers[server],
                                  .size = training.gradient_element * share,
                                  .tag = tag,
                                  .tensor = tensor_of(training, buckets[bucket], TensorWay::push)});
      pulls.push_back(writer.append(row, ReceiveCall{.from = training.servers[server],
                                                     .size = training.element * share,
                                                     .tag = tag}));
    }
    return pulls;
  });
  program.write(iterations);
  return Program(program.take_operations());
}

// The i-th worker begins with server i mod k.
ProgramSource worker_programs(const StackTraining& training,
                              const std::vector<StackBucket>& buckets,
                              const std::vector<Rank>& workers, std::int32_t ranks,
                              std::int32_t iterations) {
  const auto servers = static_cast<std::int32_t>(training.servers.size());
  std::vector<Program> programs;
  for (std::int32_t first = 0; first < servers; ++first)
    programs.push_back(worker_program(training, buckets, first, iterations));
  std::vector<std::int32_t> program_of_rank(static_cast<std::size_t>(ranks), 0);
  for (std::size_t i = 0; i < workers.size(); ++i)
    program_of_rank[workers[i]] = static_cast<std::int32_t>(i) % servers;
  return ProgramSource(std::move(programs), std::move(program_of_rank));
}

ParameterServerSource::ParameterServerSource(const StackTraining& training, std::int32_t ranks,
                                             std::int32_t iterations)
    : training_(training),
      iterations_(iterations),
      buckets_(buckets_of(training)),
      workers_(workers_of(training, ranks)),
      server_of_rank_(static_cast<std::size_t>(ranks), not_a_server),
      servers_(training.servers.size()),
      programs_(worker_programs(training, buckets_, workers_, ranks, iterations)) {
  CHECK(!workers_.empty() && !servers_.empty(), "{} workers and {} servers", workers_.size(),
        servers_.size());
  for (std::size_t i = 0; i < training.servers.size(); ++i)
    server_of_rank_[training.servers[i]] = static_cast<std::int32_t>(i);
  const Share none{std::vector<std::int32_t>(static_cast<std::size_t>(iterations)), 0, {}};
  for (auto& shares : servers_) shares.assign(buckets_.size(), none);
}

std::pair<ParameterServerSource::Push, ParameterServerSource::Step>
ParameterServerSource::meaning_of(OperationId id) const {
  const auto buckets = static_cast<OperationId>(buckets_.size());
  const OperationId push = id / 3, place = push / iterations_;
  return {{static_cast<std::int32_t>(place / buckets), static_cast<std::int32_t>(place % buckets),
           static_cast<std::int32_t>(push % iterations_)},
          static_cast<Step>(id % 3)};
}

Operation ParameterServerSource::operation(std::int32_t server, const Push& push, Step step) const {
  const auto bucket = static_cast<std::size_t>(push.bucket);
  const std::int64_t share =
      share_of(buckets_[bucket].parameters, server, static_cast<std::int32_t>(servers_.size()));
  const auto rows = static_cast<std::int32_t>(3 * training_.layers.size() + buckets_.size() + 1);
  const auto row =
      push.iteration * rows + static_cast<std::int32_t>(3 * training_.layers.size()) + push.bucket;
  Operation operation{.id = id_of(push, step), .label = row, .what = Compute{}};
  const Rank worker = workers_[push.worker];
  const Bytes gradient = training_.gradient_element * share;
  if (step == Step::receive)
    operation.what = ReceiveCall{.from = worker, .size = gradient, .tag = push.bucket};
  else if (step == Step::update)
    operation.what = Compute{Flops{}, gradient * update_traffic, std::nullopt};
  else
    operation.what = SendCall{.to = worker,
                              .size = training_.element * share,
                              .tag = push.bucket,
                              .tensor = tensor_of(training_, buckets_[bucket], TensorWay::pull)};
  return operation;
}

void ParameterServerSource::start(Rank rank, std::vector<Operation>& ready) {
  const std::int32_t server = server_of_rank_[rank];
  if (server == not_a_server) return programs_.start(rank, ready);
  for (std::int32_t worker = 0; worker < static_cast<std::int32_t>(workers_.size()); ++worker)
    for (std::int32_t bucket = 0; bucket < static_cast<std::int32_t>(buckets_.size()); ++bucket)
      ready.push_back(operation(server, {worker, bucket, 0}, Step::receive));
}

void ParameterServerSource::finish(Rank rank, OperationId id, std::vector<Operation>& ready) {
  const std::int32_t number = server_of_rank_[rank];
  if (number == not_a_server) return programs_.finish(rank, id, ready);
  const auto [push, step] = meaning_of(id);
  if (step == Step::receive) {
    ready.push_back(operation(number, push, Step::update));
    if (push.iteration + 1 < iterations_)
      ready.push_back(
          operation(number, {push.worker, push.bucket, push.iteration + 1}, Step::receive));
  } else if (step == Step::update) {
    updated(number, push, ready);
  }
}

// A worker's updates come in the order of its iterations, so iterations become complete in order.
void ParameterServerSource::updated(std::int32_t number, const Push& push,
                                    std::vector<Operation>& ready) {
  Share& share = servers_[number][push.bucket];
  share.withheld.push_back(push);
  if (++share.updates[push.iteration] == static_cast<std::int32_t>(workers_.size()))
    ++share.complete;
  else if (!may_reply(share, push))
    return;
  std::erase_if(share.withheld, [&](const Push& reply) {
    if (!may_reply(share, reply)) return false;
    ready.push_back(operation(number, reply, Step::reply));
    return true;
  });
}

std::int64_t ParameterServerSource::operation_count(Rank rank) const {
  if (server_of_rank_[rank] == not_a_server) return programs_.operation_count(rank);
  return static_cast<std::int64_t>(workers_.size() * buckets_.size()) * iterations_ * 3;
}

}  // namespace

std::unique_ptr<OperationSource> make_parameter_server_operations(const StackTraining& training,
                                                                  std::int32_t ranks,
                                                                  std::int32_t iterations) {
  return std::make_unique<ParameterServerSource>(training, ranks, iterations);
}

}  // namespace orrery
