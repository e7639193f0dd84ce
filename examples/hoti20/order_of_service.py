#!/usr/bin/env python3
"""One all-reduce by a double binary tree among 128, on ports that serve messages in two orders.

    ./order_of_service.py

A model of its own, of a hundred lines, which knows nothing of Orrery's code: a port carries one
message at a time, out and in; links have a latency; copies at both ends take time; nothing else.
With ports that serve what was handed to them first, it must give the finish times of the analytical
backend to the picosecond. With ports that serve their targets in turn, as a NIC serves its
connections, the same messages come out earlier: what docs/studies/hoti20.md says about TCP being
faster than the analytical model rests on that.
"""
import heapq
from collections import deque

RANKS, CHUNKS = 128, 32
LATENCY, COPY = 1_000_000, 10_000  # ps: two links of 0.5 us; injection latency at each end
PS_PER_BYTE = 80                   # 100 Gb/s


class InOrder:
    """What waits at a sending port: first come, first served."""

    def __init__(self):
        self.waiting = deque()

    def put(self, message):
        self.waiting.append(message)

    def take(self):
        return self.waiting.popleft() if self.waiting else None


class InTurn:
    """The same; targets for which something waits take turns, one message each."""

    def __init__(self):
        self.waiting, self.turns = {}, deque()

    def put(self, message):
        line = self.waiting.setdefault(message[1], deque())
        if not line:
            self.turns.append(message[1])
        line.append(message)

    def take(self):
        if not self.turns:
            return None
        target = self.turns.popleft()
        message = self.waiting[target].popleft()
        if self.waiting[target]:
            self.turns.append(target)
        return message


def parent_of(position):
    """In-order binary tree below position 0; the height of a position: its trailing zeros."""
    if position == 0:
        return None
    height = position & -position
    right = (position ^ height) | (height << 1)
    return right if right < RANKS else position ^ height


def trees():
    """Parents and children in the tree, and in its mirror image."""
    found = []
    for rank_at in (lambda position: position, lambda position: RANKS - 1 - position):
        parent, children = {rank_at(0): None}, {rank: [] for rank in range(RANKS)}
        for position in range(1, RANKS):
            parent[rank_at(position)] = rank_at(parent_of(position))
            children[rank_at(parent_of(position))].append(rank_at(position))
        found.append((parent, children))
    return found


class AllReduce:
    def __init__(self, chunk_bytes, order):
        self.duration = chunk_bytes * PS_PER_BYTE
        self.trees = trees()
        self.ports = [order() for _ in range(RANKS)]
        self.sending = [False] * RANKS
        self.receives_until = [0] * RANKS
        self.missing = {(rank, chunk): len(self.trees[chunk % 2][1][rank])
                        for chunk in range(CHUNKS) for rank in range(RANKS)}
        self.events, self.calls, self.now, self.finish = [], 0, 0, 0

    def at(self, time, place, call, *arguments):
        """Calls in the order of time; at equal times, of `place`; then as they were made."""
        self.calls += 1
        heapq.heappush(self.events, (time, place, self.calls, call, arguments))

    def run(self):
        for chunk in range(CHUNKS):
            for rank in range(RANKS):
                if self.missing[rank, chunk] == 0:
                    self.reduced(rank, chunk)
        while self.events:
            self.now, *_, call, arguments = heapq.heappop(self.events)
            call(*arguments)
        return self.finish

    def reduced(self, rank, chunk):
        parent = self.trees[chunk % 2][0][rank]
        if parent is None:
            self.complete(rank, chunk)
        else:
            self.post((rank, parent, "up", chunk))

    def complete(self, rank, chunk):
        self.finish = self.now
        for child in self.trees[chunk % 2][1][rank]:
            self.post((rank, child, "down", chunk))

    def post(self, message):
        self.at(self.now + COPY, 0, self.enqueue, message)

    def enqueue(self, message):
        self.ports[message[0]].put(message)
        if not self.sending[message[0]]:
            self.send_next(message[0])

    def send_next(self, source):
        message = self.ports[source].take()
        self.sending[source] = message is not None
        if message:
            self.at(self.now + self.duration, 0, self.send_next, source)
            distance = (message[1] - source) % RANKS
            self.at(self.now + LATENCY, distance, self.begins_to_arrive, message)

    def begins_to_arrive(self, message):
        end = max(self.now, self.receives_until[message[1]]) + self.duration
        self.receives_until[message[1]] = end
        self.at(end + COPY, 0, self.arrived, message)

    def arrived(self, message):
        _, rank, way, chunk = message
        if way == "down":
            return self.complete(rank, chunk)
        self.missing[rank, chunk] -= 1
        return self.reduced(rank, chunk) if self.missing[rank, chunk] == 0 else None


def finish_ps(size, order):
    """REQUIRES: CHUNKS divide the size, into parts of 1 KiB at least."""
    assert size % CHUNKS == 0 and size // CHUNKS >= 1024
    return AllReduce(size // CHUNKS, order).run()


if __name__ == "__main__":
    for kilobytes in (64, 1024, 16 * 1024):
        both = [finish_ps(kilobytes * 1024, order) * 1e-6 for order in (InOrder, InTurn)]
        print(f"{kilobytes} KiB: {both[0]:.3f} us in order, {both[1]:.3f} us in turn, "
              f"{both[1] / both[0]:.3f} of it")
