// A monotone priority queue of 16-byte entries: it may be told nothing earlier than what it
// returned last, and in exchange an operation costs the same with ten entries as with ten million.
//
// A time is any unsigned number, read as 6-bit digits. An entry's bucket is named by the highest
// digit in which its time differs from the last popped time (the level) and by that digit's value:
//
//   last popped   .. 17 40  3         level 0, digit 9: everything due at .. 17 40  9
//   entry         .. 17 52 61    ->   level 1, digit 52: .. 17 52 xx, still unsorted
//
// The earliest entry is always in the lowest digit of the lowest level that holds any. On level 0 a
// bucket has a single time and is drained from the front. A higher bucket, when it is the earliest,
// is spread over the levels below; an entry moves at most once per level, so popping costs
// O(digits) and in practice two or three sequential copies, with no comparison that a processor
// must guess.
//
// Ties come out in the order they were pushed, without a sequence number: equal times are always in
// the same bucket, buckets are FIFO, and spreading keeps the order.
//
// Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", JACM 37
// (1990); multi-level buckets as in Cherkassky, Goldberg, Silverstein, SIAM J. Comput. 28 (1999).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace orrery {

class RadixHeap {
 public:
  struct Entry {
    std::uint64_t time;
    std::uint64_t payload;
  };

  bool empty() const { return occupied_levels_ == 0; }

  // REQUIRES: entry.time >= the time of the last popped entry.
  void push(Entry entry) { append(bucket_of(entry.time), entry); }

  // The earliest entry; among equals the first pushed. REQUIRES: !empty().
  [[gnu::always_inline]] Entry pop() {
    const int level = std::countr_zero(occupied_levels_);
    if (level != 0) {
      const int bucket = level * digits + std::countr_zero(occupied_digits_[level]);
      if (buckets_[bucket].holds_one()) return take_only(bucket);
      spread(bucket);
    }
    return take_front(std::countr_zero(occupied_digits_[0]));
  }

  // The earliest time, found without moving anything: after pop() it is still legal to push entries
  // earlier than this. REQUIRES: !empty().
  std::uint64_t minimum() const {
    const int level = std::countr_zero(occupied_levels_);
    return buckets_[level * digits + std::countr_zero(occupied_digits_[level])].minimum;
  }

  // The earliest time among the entries that `keep` accepts. Looks at every entry of the earliest
  // buckets until one of them has such an entry. REQUIRES: there is one.
  template <class Keep>
  std::uint64_t minimum_if(Keep keep) const;

  // Drops the entries that `keep` refuses; the others stay in order. `keep` is asked once per
  // entry.
  template <class Keep>
  void retain(Keep keep);

  // Times from `time` on may be pushed again. REQUIRES: empty().
  void restart_at(std::uint64_t time) { last_ = time; }

 private:
  static constexpr int digit_bits = 6;
  static constexpr int digits = 1 << digit_bits;  // one 64-bit mask says which of them hold entries
  static constexpr int levels = (64 + digit_bits - 1) / digit_bits;

  // Entries are kept in blocks that go from bucket to bucket through a free list, so memory follows
  // the number of pending entries and not the sum of what each bucket once held; a block that has
  // just been drained is also the one in the cache. Blocks of 2000 bytes rather than 2048, because
  // sparse buckets use only the beginning of theirs, and those should not share a few cache sets.
  static constexpr std::uint32_t block_entries = 124;
  struct Block {
    Block* next;
    Entry entries[block_entries];
  };

  struct Bucket {
    Block* head = nullptr;  // null if and only if the bucket is empty
    Block* tail = nullptr;
    std::uint64_t minimum = std::numeric_limits<std::uint64_t>::max();
    std::uint32_t used = block_entries;  // of the tail; an empty bucket counts as full

    bool holds_one() const { return head == tail && used == 1; }
    std::uint32_t used_in(const Block* block) const { return block == tail ? used : block_entries; }
  };

  int bucket_of(std::uint64_t time) const {
    // `| 1`: what equals the last time belongs to level 0 as well.
    const int level = (63 - std::countl_zero((time ^ last_) | 1)) / digit_bits;
    return level * digits + static_cast<int>((time >> (level * digit_bits)) % digits);
  }

  void append(int index, Entry entry) {
    Bucket& bucket = buckets_[index];
    if (bucket.used == block_entries) [[unlikely]]
      add_block(index);
    bucket.tail->entries[bucket.used++] = entry;
    bucket.minimum = std::min(bucket.minimum, entry.time);
  }

  void add_block(int index) {
    if (free_ == nullptr) [[unlikely]]
      allocate_block();
    Block* block = free_;
    free_ = block->next;
    Bucket& bucket = buckets_[index];
    if (bucket.head == nullptr) {
      bucket.head = block;
      mark_occupied(index);
    } else {
      bucket.tail->next = block;
    }
    bucket.tail = block;
    bucket.used = 0;
  }

  void allocate_block();

  void mark_occupied(int index) {
    occupied_digits_[index / digits] |= std::uint64_t{1} << (index % digits);
    occupied_levels_ |= std::uint32_t{1} << (index / digits);
  }

  void recycle(Block* block) {
    block->next = free_;
    free_ = block;
  }

  // Empties the bucket and gives its former content.
  Bucket detach(int index) {
    const Bucket content = buckets_[index];
    buckets_[index] = Bucket{};
    std::uint64_t& mask = occupied_digits_[index / digits];
    mask &= ~(std::uint64_t{1} << (index % digits));
    if (mask == 0) occupied_levels_ &= ~(std::uint32_t{1} << (index / digits));
    return content;
  }

  // Calls visit(entry) for each entry in order, recycling the blocks on the way.
  template <class Visit>
  void drain(const Bucket& content, std::uint32_t first, Visit visit) {
    Block* block = content.head;
    while (true) {
      const std::uint32_t end = content.used_in(block);
      for (std::uint32_t i = first; i < end; ++i) visit(block->entries[i]);
      Block* next = block->next;
      const bool last = block == content.tail;
      recycle(block);
      if (last) return;
      block = next;
      first = 0;
    }
  }

  Entry take_only(int index) {
    const Bucket content = detach(index);
    const Entry entry = content.head->entries[0];
    recycle(content.head);
    last_ = entry.time;
    return entry;
  }

  Entry take_front(int index) {
    Bucket& bucket = buckets_[index];
    Block* block = bucket.head;
    const Entry entry = block->entries[front_++];
    last_ = entry.time;
    if (front_ == bucket.used_in(block)) {
      front_ = 0;
      if (block == bucket.tail) {
        detach(index);
      } else {
        bucket.head = block->next;
      }
      recycle(block);
    }
    return entry;
  }

  void spread(int index) {
    const Bucket content = detach(index);
    last_ = content.minimum;
    if (is_one_large_tie(
            content)) {  // lock step: everything moves to level 0 without being touched
      const int target = bucket_of(last_);
      buckets_[target] = content;
      mark_occupied(target);
    } else {
      std::uint64_t time = content.minimum;
      int target = bucket_of(time);
      drain(content, 0, [&](Entry entry) {
        if (entry.time != time) {  // equal times often stand together
          time = entry.time;
          target = bucket_of(time);
        }
        append(target, entry);
      });
    }
  }

  static bool is_one_large_tie(const Bucket& bucket) {
    constexpr std::uint32_t few = 16;  // cheaper to move than to look at
    if (bucket.head == bucket.tail && bucket.used < few) return false;
    if (bucket.tail->entries[bucket.used - 1].time != bucket.minimum) return false;
    return for_each_part(bucket, 0, [&](std::span<const Entry> part) {
      std::uint64_t difference = 0;  // no early exit: this way the compiler makes it SIMD
      for (const Entry& entry : part) difference |= entry.time ^ bucket.minimum;
      return difference == 0;
    });
  }

  // Calls visit(span of entries) for each block of a bucket, in order, as long as it returns true.
  template <class Visit>
  static bool for_each_part(const Bucket& bucket, std::uint32_t first, Visit visit) {
    for (const Block* block = bucket.head;; block = block->next, first = 0) {
      if (!visit(std::span(block->entries + first, block->entries + bucket.used_in(block)))) {
        return false;
      }
      if (block == bucket.tail) return true;
    }
  }

  // Only the lowest bucket of level 0 can be partly drained.
  std::uint32_t first_in(int index) const {
    return index == std::countr_zero(occupied_digits_[0]) ? front_ : 0;
  }

  std::uint64_t last_ = 0;             // the time popped last
  std::uint32_t front_ = 0;            // entries already taken from the head of the earliest bucket
  std::uint32_t occupied_levels_ = 0;  // a bit per level that holds entries
  std::array<std::uint64_t, levels> occupied_digits_{};
  std::array<Bucket, levels * digits> buckets_{};
  Block* free_ = nullptr;
  std::vector<std::unique_ptr<Block[]>> owned_;
};

template <class Keep>
std::uint64_t RadixHeap::minimum_if(Keep keep) const {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t found = none;
  for (int level = 0; level < levels && found == none; ++level) {
    for (std::uint64_t mask = occupied_digits_[level]; mask != 0 && found == none;
         mask &= mask - 1) {
      const int index = level * digits + std::countr_zero(mask);
      for_each_part(buckets_[index], first_in(index), [&](std::span<const Entry> part) {
        for (const Entry& entry : part) {
          if (keep(entry)) found = std::min(found, entry.time);
        }
        return true;
      });
    }
  }
  return found;
}

template <class Keep>
void RadixHeap::retain(Keep keep) {
  for (int level = 0; level < levels; ++level) {
    for (std::uint64_t mask = occupied_digits_[level]; mask != 0; mask &= mask - 1) {
      const int index = level * digits + std::countr_zero(mask);
      const std::uint32_t first = first_in(index);
      if (first != 0) front_ = 0;
      drain(detach(index), first, [&](Entry entry) {
        if (keep(entry)) append(index, entry);
      });
    }
  }
}

}  // namespace orrery
