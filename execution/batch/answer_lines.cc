#include "execution/batch/answer_lines.h"

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace orrery {

namespace {

// Takes lines in their order and gives answers in their order.
class Desk {
 public:
  Desk(LineReader reader, std::ostream& out) : reader_(std::move(reader)), out_(out) {}

  // False if there are no more. Throws IoError.
  bool take(std::int64_t& number, std::string& line) {
    const std::lock_guard lock(reading_);
    while (std::optional<std::string> next = reader_.next()) {
      ++lines_;
      if (next->find_first_not_of(" \t\r") == std::string::npos) continue;
      number = lines_;
      line = std::move(*next);
      const std::lock_guard order(writing_);
      waiting_[number] = {};
      return true;
    }
    return false;
  }

  // Waits when answers pile up behind one that takes long.
  void give(std::int64_t number, Answer answer) {
    constexpr std::size_t at_most = 1'024;
    std::unique_lock lock(writing_);
    room_.wait(lock,
               [&] { return waiting_.size() < at_most || waiting_.begin()->first == number; });
    failed_ = failed_ || answer.failed;
    waiting_[number] = std::move(answer);
    while (!waiting_.empty() && !waiting_.begin()->second.line.empty()) {
      out_ << waiting_.begin()->second.line;
      waiting_.erase(waiting_.begin());
    }
    out_.flush();
    room_.notify_all();
  }

  bool failed() const { return failed_; }

 private:
  std::mutex reading_, writing_;
  std::condition_variable room_;
  LineReader reader_;
  std::ostream& out_;
  std::int64_t lines_ = 0;
  std::map<std::int64_t, Answer> waiting_;  // by number of their lines; empty: not known yet
  bool failed_ = false;
};

}  // namespace

bool answer_lines(LineReader reader, std::ostream& out, std::size_t threads,
                  const AnswerLine& answer) {
  Desk desk(std::move(reader), out);
  std::vector<std::exception_ptr> broken(threads);
  const auto work = [&](std::exception_ptr& error) {
    try {
      std::int64_t number = 0;
      std::string line;
      while (desk.take(number, line)) desk.give(number, answer(number, line));
    } catch (...) {
      error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work, std::ref(broken[i]));
  work(broken.front());
  for (std::thread& thread : others) thread.join();
  for (const std::exception_ptr& error : broken)
    if (error) std::rethrow_exception(error);
  return desk.failed();
}

}  // namespace orrery
