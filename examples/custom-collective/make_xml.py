#!/usr/bin/env python3
"""Writes an all-reduce as XML of MSCCL: make_xml.py all-pairs|ring RANKS > file.xml

all-pairs  two rounds, whatever the number of ranks: every rank collects its piece from all others
           in scratch memory, adds it up, and hands the sum to all others. A thread block for each
           peer sends; one for each peer receives.
ring       the usual 2(n-1) rounds, in one thread block
"""
import sys


class Block:
    def __init__(self, send, receive):
        self.send, self.receive, self.steps = send, receive, []

    def step(self, kind, source, target, count=1, after=(-1, -1)):
        """source and target: ("i" | "o" | "s", chunk); after: (block, step). Returns its number."""
        self.steps.append((kind, *source, *target, count, *after))
        return len(self.steps) - 1


def all_pairs(ranks, me):
    """Blocks 0 .. n-2 send to the others, n-1 .. 2n-3 receive from them, the last one adds up."""
    # Everyone begins with its neighbour, so that no two send to the same rank at the same time.
    others = [(me + step) % ranks for step in range(1, ranks)]
    sends = [Block(send=other, receive=-1) for other in others]
    receives = [Block(send=-1, receive=other) for other in others]
    adds = Block(send=-1, receive=-1)
    for slot, other in enumerate(others):
        sends[slot].step("s", ("i", other), ("s", 0))
        receives[slot].step("r", ("i", me), ("s", slot))
    for slot in reversed(range(len(others))):  # as they come in
        sum_done = adds.step("re", ("s", slot), ("i", me), after=(len(others) + slot, 0))
    for slot, other in enumerate(others):
        sends[slot].step("s", ("i", me), ("i", me), after=(2 * len(others), sum_done))
        # Nothing need wait for the old piece to leave: the sum cannot come in before it has come out.
        receives[slot].step("r", ("i", other), ("i", other))
    return sends + receives + [adds], len(others)


def ring(ranks, me):
    block = Block(send=(me + 1) % ranks, receive=(me - 1) % ranks)
    piece = (me - 1) % ranks
    block.step("s", ("i", piece), ("i", piece))
    for round_ in range(1, 2 * ranks - 1):
        piece = (me - 1 - round_) % ranks
        last = round_ == 2 * ranks - 2
        kind = "rrs" if round_ < ranks - 1 else "rrcs" if round_ == ranks - 1 else "rcs"
        block.step("r" if last else kind, ("i", piece), ("i", piece))
    return [block], 0


def write(name, make, ranks):
    print(f'<algo name="{name}" proto="Simple" nchannels="1" nchunksperloop="{ranks}" '
          f'ngpus="{ranks}" coll="allreduce" inplace="1">')
    for me in range(ranks):
        blocks, scratch = make(ranks, me)
        print(f'  <gpu id="{me}" i_chunks="{ranks}" o_chunks="0" s_chunks="{scratch}">')
        waited_for = {step[6:8] for block in blocks for step in block.steps}
        for number, block in enumerate(blocks):
            print(f'    <tb id="{number}" send="{block.send}" recv="{block.receive}" chan="0">')
            for s, (kind, source, source_at, target, target_at, count, *after) in enumerate(
                    block.steps):
                print(f'      <step s="{s}" type="{kind}" srcbuf="{source}" srcoff="{source_at}" '
                      f'dstbuf="{target}" dstoff="{target_at}" cnt="{count}" depid="{after[0]}" '
                      f'deps="{after[1]}" hasdep="{int((number, s) in waited_for)}"/>')
            print("    </tb>")
        print("  </gpu>")
    print("</algo>")


if __name__ == "__main__":
    algorithms = {"all-pairs": all_pairs, "ring": ring}
    if len(sys.argv) != 3 or sys.argv[1] not in algorithms or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    write(sys.argv[1].replace("-", "_"), algorithms[sys.argv[1]], int(sys.argv[2]))
