#include "system/collective/program_check.h"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "system/collective/program_races.h"
#include "system/collective/program_reach.h"

namespace orrery {
namespace {

// What is in a place now: how often each rank's contribution to a piece.
struct Content {
  std::int32_t piece = -1;
  std::vector<std::uint16_t> contributions;  // of each rank; empty while there is nothing
};

struct Letter {
  StepName sent;
  std::vector<Content> contents;
  std::size_t event;  // the step that sent it, in the order of execution
};

bool is_receive(StepKind kind) {
  return kind == StepKind::receive || kind == StepKind::receive_add;
}

class Execution {
 public:
  explicit Execution(const MessageProgram& program) : program_(program) {
    const std::size_t ranks = program.ranks.size();
    next_.resize(ranks);
    memory_.resize(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const RankProgram& own = program.ranks[rank];
      next_[rank].assign(own.threads.size(), 0);
      memory_[rank].resize(own.at_start.size());
      for (std::size_t place = 0; place < own.at_start.size(); ++place) {
        const PlaceContent& start = own.at_start[place];
        if (start.piece < 0) continue;
        memory_[rank][place] = {start.piece, std::vector<std::uint16_t>(ranks, 0)};
        memory_[rank][place].contributions[start.from] = 1;
      }
    }
  }

  ProgramExecution run() {
    for (bool moved = true; moved && !result_.fault;) {
      moved = false;
      for (Position rank = 0; rank < ranks(); ++rank)
        for (std::int32_t thread = 0; thread < threads(rank); ++thread)
          while (!result_.fault && take_step(rank, thread)) moved = true;
    }
    if (!result_.fault) find_who_waits();
    if (!result_.fault) find_unreceived();
    if (!result_.fault && program_.tracks_data) result_.fault = find_race(program_, events_);
    if (!result_.fault && !program_.tracks_data) result_.fault = find_unreached(program_, events_);
    if (!result_.fault && program_.tracks_data) compare_results();
    return std::move(result_);
  }

 private:
  Position ranks() const { return static_cast<Position>(program_.ranks.size()); }
  std::int32_t threads(Position rank) const {
    return static_cast<std::int32_t>(program_.ranks[rank].threads.size());
  }
  const ProgramStep& step_at(Position rank, StepName name) const {
    return program_.ranks[rank].threads[name.thread][name.step];
  }

  std::string name_of(Position rank, StepName name) const {
    return fmt::format("rank {}, thread {}, step {}", rank, name.thread,
                       step_at(rank, name).number);
  }
  bool refuse(Position rank, StepName name, const std::string& what) {
    result_.fault = {name_of(rank, name) + ": " + what, step_at(rank, name).line};
    return false;
  }

  // The step that this one waits for, if it is not done yet.
  const StepName* waits_for(Position rank, const ProgramStep& step) const {
    for (const StepName& other : step.after)
      if (next_[rank][other.thread] <= other.step) return &other;
    return nullptr;
  }

  // False if the thread has come to its end, or waits, or did what must not be.
  bool take_step(Position rank, std::int32_t thread) {
    const auto& steps = program_.ranks[rank].threads[thread];
    const StepName name{thread, next_[rank][thread]};
    if (name.step == static_cast<std::int32_t>(steps.size())) return false;
    const ProgramStep& step = steps[name.step];
    if (waits_for(rank, step) != nullptr) return false;
    std::size_t sender = ProgramEvent::kNone;
    if (is_receive(step.kind)) {
      const auto found = mail_.find({step.peer, rank, step.channel});
      if (found == mail_.end() || found->second.empty()) return false;
      const Letter letter = std::move(found->second.front());
      found->second.pop_front();
      sender = letter.event;
      if (!receive(rank, name, step, letter)) return false;
    } else if (!do_locally(rank, name, step)) {
      return false;
    }
    events_.push_back({rank, name, sender});
    ++next_[rank][thread];
    return true;
  }

  bool do_locally(Position rank, StepName name, const ProgramStep& step) {
    switch (step.kind) {
      case StepKind::send:
        return send(rank, name, step);
      case StepKind::copy:
      case StepKind::add:
        for (std::int32_t i = 0; i < step.count; ++i) {
          if (!is_there(rank, name, step.source + i)) return false;
          const Content from = memory_[rank][step.source + i];
          if (!put(rank, name, from, step.target + i, step.kind == StepKind::add)) return false;
        }
        return true;
      default:
        return true;
    }
  }

  bool is_there(Position rank, StepName name, std::int32_t place) {
    if (!memory_[rank][place].contributions.empty()) return true;
    return refuse(
        rank, name,
        fmt::format("there is nothing yet in {}", name_of_place(program_.ranks[rank], place)));
  }

  bool put(Position rank, StepName name, const Content& what, std::int32_t place, bool add) {
    Content& here = memory_[rank][place];
    if (!add) {
      here = what;
      return true;
    }
    if (!is_there(rank, name, place)) return false;
    if (here.piece != what.piece)
      return refuse(rank, name,
                    fmt::format("piece {} is added to piece {}, in {}", what.piece, here.piece,
                                name_of_place(program_.ranks[rank], place)));
    for (std::size_t from = 0; from < here.contributions.size(); ++from)
      here.contributions[from] =
          static_cast<std::uint16_t>(here.contributions[from] + what.contributions[from]);
    return true;
  }

  bool send(Position rank, StepName name, const ProgramStep& step) {
    Letter letter{name, {}, events_.size()};
    if (program_.tracks_data)
      for (std::int32_t i = 0; i < step.count; ++i) {
        if (!is_there(rank, name, step.source + i)) return false;
        letter.contents.push_back(memory_[rank][step.source + i]);
      }
    mail_[{rank, step.peer, step.channel}].push_back(std::move(letter));
    return true;
  }

  bool receive(Position rank, StepName name, const ProgramStep& step, const Letter& letter) {
    const ProgramStep& sent = step_at(step.peer, letter.sent);
    if (sent.count != step.count)
      return refuse(rank, name,
                    fmt::format("it receives {} chunks, and {} sends {}", step.count,
                                name_of(step.peer, letter.sent), sent.count));
    Transfer transfer{step.peer, letter.sent, rank, name, {}};
    for (std::size_t i = 0; i < letter.contents.size(); ++i) {
      const auto place = step.target + static_cast<std::int32_t>(i);
      transfer.pieces.push_back(letter.contents[i].piece);
      if (!put(rank, name, letter.contents[i], place, step.kind == StepKind::receive_add))
        return false;
    }
    result_.transfers.push_back(std::move(transfer));
    return true;
  }

  // ---- in the end ------------------------------------------------------------------------------

  void find_who_waits() {
    std::string all;
    int count = 0;
    for (Position rank = 0; rank < ranks(); ++rank)
      for (std::int32_t thread = 0; thread < threads(rank); ++thread) {
        const auto& steps = program_.ranks[rank].threads[thread];
        const StepName name{thread, next_[rank][thread]};
        if (name.step == static_cast<std::int32_t>(steps.size())) continue;
        const ProgramStep& step = steps[name.step];
        if (++count == 1) result_.fault = {"", step.line};
        if (count > 4) continue;
        const StepName* other = waits_for(rank, step);
        all += fmt::format(
            "{}{} waits for {}", count > 1 ? "; " : "", name_of(rank, name),
            other != nullptr
                ? fmt::format("thread {}, step {}", other->thread, step_at(rank, *other).number)
                : fmt::format("a message from rank {} on channel {}", step.peer, step.channel));
      }
    if (count > 4) all += fmt::format("; and {} more wait", count - 4);
    if (count > 0) result_.fault->what = all + ", for ever";
  }

  void find_unreceived() {
    for (const auto& [connection, letters] : mail_) {
      if (letters.empty()) continue;
      const auto [from, to, channel] = connection;
      refuse(from, letters.front().sent,
             fmt::format("rank {} never receives its message on channel {}", to, channel));
      return;
    }
  }

  void compare_results() {
    for (Position rank = 0; rank < ranks(); ++rank) {
      const RankProgram& own = program_.ranks[rank];
      for (std::size_t place = 0; place < own.at_end.size(); ++place) {
        const PlaceContent& wanted = own.at_end[place];
        if (wanted.piece < 0) continue;
        std::string wrong = difference(memory_[rank][place], wanted);
        if (wrong.empty()) continue;
        result_.fault = {fmt::format("rank {} ends with {} in {}", rank, wrong,
                                     name_of_place(own, static_cast<std::int32_t>(place))),
                         own.line};
        return;
      }
    }
  }

  std::string difference(const Content& has, const PlaceContent& wanted) const {
    if (has.contributions.empty()) return fmt::format("nothing instead of piece {}", wanted.piece);
    if (has.piece != wanted.piece)
      return fmt::format("piece {} instead of piece {}", has.piece, wanted.piece);
    for (Position from = 0; from < ranks(); ++from) {
      const int expected = wanted.from == PlaceContent::kAllRanks || wanted.from == from ? 1 : 0;
      const int count = has.contributions[from];
      if (count == expected) continue;
      if (count == 0)
        return fmt::format("piece {}, which lacks the contribution of rank {},", has.piece, from);
      if (expected == 0)
        return fmt::format("piece {} of rank {}, not of rank {},", has.piece, from, wanted.from);
      return fmt::format("piece {}, which has the contribution of rank {} {} times,", has.piece,
                         from, count);
    }
    return "";
  }

  const MessageProgram& program_;
  std::vector<std::vector<std::int32_t>> next_;  // of each rank and thread, the step to do
  std::vector<std::vector<Content>> memory_;     // of each rank and place
  std::map<std::tuple<Position, Position, std::int32_t>, std::deque<Letter>> mail_;
  std::vector<ProgramEvent> events_;
  ProgramExecution result_;
};

}  // namespace

ProgramExecution execute(const MessageProgram& program) { return Execution(program).run(); }

}  // namespace orrery
