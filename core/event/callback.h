// A piece of work to be done once, later: a move-only `void()` callable that is stored inside the
// object itself and never on the heap. The callable may be up to 48 bytes, six captured words; what
// needs more keeps its state where the work happens and captures a reference or an index to it.
//
// std::function would copy, std::move_only_function is C++23, and both fall back to the heap.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace orrery {

class Callback {
 public:
  static constexpr std::size_t capacity = 48;

  Callback() = default;
  Callback(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): empty, like std::function

  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, Callback> &&
           std::is_invocable_r_v<void, std::remove_cvref_t<Callable>&>)
      Callback(Callable&& callable)  // NOLINT(google-explicit-constructor): a lambda is a callback
      : operations_(&operations_of<std::remove_cvref_t<Callable>>) {
    using Stored = std::remove_cvref_t<Callable>;
    static_assert(sizeof(Stored) <= capacity, "captures more than 48 bytes: capture a reference");
    static_assert(alignof(Stored) <= alignof(void*), "over-aligned callables do not fit");
    static_assert(std::is_nothrow_move_constructible_v<Stored>, "moving must not throw");
    ::new (static_cast<void*>(storage_)) Stored(std::forward<Callable>(callable));
  }

  Callback(Callback&& other) noexcept { take(other); }
  Callback& operator=(Callback&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~Callback() { reset(); }

  explicit operator bool() const { return operations_ != nullptr; }

  // REQUIRES: not empty.
  void operator()() { operations_->call(storage_); }

 private:
  struct Operations {
    void (*call)(void* callable);
    // Both null for a callable that is only bytes: it moves by memcpy and needs no destruction.
    void (*relocate)(void* from, void* to) noexcept;
    void (*destroy)(void* callable) noexcept;
  };

  template <class Stored>
  static void call(void* callable) {
    (*static_cast<Stored*>(callable))();
  }
  template <class Stored>
  static void relocate(void* from, void* to) noexcept {
    auto* source = static_cast<Stored*>(from);
    ::new (to) Stored(std::move(*source));
    source->~Stored();
  }
  template <class Stored>
  static void destroy(void* callable) noexcept {
    static_cast<Stored*>(callable)->~Stored();
  }

  template <class Stored>
  static constexpr bool only_bytes =
      std::is_trivially_copyable_v<Stored>&& std::is_trivially_destructible_v<Stored>;

  template <class Stored>
  static constexpr Operations operations_of = {&call<Stored>,
                                               only_bytes<Stored> ? nullptr : &relocate<Stored>,
                                               only_bytes<Stored> ? nullptr : &destroy<Stored>};

  void take(Callback& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ == nullptr) return;
    if (operations_->relocate != nullptr) {
      operations_->relocate(other.storage_, storage_);
    } else {
      std::memcpy(storage_, other.storage_, capacity);
    }
  }

  void reset() noexcept {
    const Operations* old = std::exchange(operations_, nullptr);
    if (old != nullptr && old->destroy != nullptr) old->destroy(storage_);
  }

  const Operations* operations_ = nullptr;
  // Zeroed, because the bytes behind a small callable are copied along with it.
  alignas(void*) std::byte storage_[capacity] = {};
};

static_assert(sizeof(Callback) == 56);

}  // namespace orrery
