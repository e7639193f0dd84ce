#!/usr/bin/env python3
"""Reads the traces that `orrery run --trace` writes, without any library: a decoder of its own, so
that tests do not check the writer with itself.

    ./scripts/read_trace.py FILE             every track with its number of slices and their time
    ./scripts/read_trace.py FILE TRACK       and the slices of the tracks whose path has this in it
    ./scripts/read_trace.py FILE --picture   the steps of every rank as a line of text

Field numbers are those of github.com/google/perfetto, protos/perfetto/trace.
"""
import struct
import sys
from collections import defaultdict


def fields(data):
    """(field, value) of a Protobuf message: integers, or bytes."""
    position = 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value = data[position:position + 8]
            position += 8
        elif kind == 2:
            size = varint()
            value = data[position:position + size]
            position += size
            if len(value) != size:
                raise ValueError("a field ends behind its message")
        else:
            raise ValueError(f"wire type {kind} of field {key >> 3}")
        yield key >> 3, value


def message(data):
    """{field: [values]}"""
    found = defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


class Slice:
    def __init__(self, name, category, begin_ns, arguments, depth):
        self.name, self.category, self.begin_ns, self.depth = name, category, begin_ns, depth
        self.arguments = arguments
        self.end_ns = None
        self.flows_out, self.flows_in = [], []

    @property
    def begin(self):
        """In picoseconds."""
        return self.arguments["begin_ps"]

    @property
    def duration(self):
        return self.arguments["duration_ps"]

    @property
    def end(self):
        return self.begin + self.duration


class Track:
    def __init__(self, name, parent, place, is_counter):
        self.name, self.parent, self.place, self.is_counter = name, parent, place, is_counter
        self.slices = []    # in the order in which they begin
        self.values = []    # (ns, value)
        self.open = []

    @property
    def path(self):
        return f"{self.parent.path} / {self.name}" if self.parent else self.name


class Trace:
    """Built as Perfetto's trace processor does: events sorted by time, those of one nanosecond as
    they are in the file; an end closes the innermost open slice of its track."""

    def __init__(self, data):
        self.tracks = {}
        self.names = {1: {}, 2: {}, 3: {}}  # of InternedData: categories, events, arguments
        events = []
        self.packets = 0
        for field, packet in fields(data):
            assert field == 1, "Trace has packets only"
            self.packets += 1
            packet = message(packet)
            assert packet[10] == [1], "every packet is of the one sequence"
            assert packet[13] == [3 if self.packets == 1 else 2], "flags"
            for table in packet[12]:
                self.intern(message(table))
            for described in packet[60]:
                self.describe(message(described))
            for event in packet[11]:
                events.append((packet[8][0], len(events), self.resolve(message(event))))
        for time, _, event in sorted(events, key=lambda event: event[:2]):
            self.play(time, event)
        for track in self.tracks.values():
            assert not track.open, f"{track.path}: {track.open[-1].name} has no end"

    def intern(self, table):
        for kind, entries in table.items():
            for entry in entries:
                entry = message(entry)
                assert entry[1][0] not in self.names[kind], "a number for two names"
                self.names[kind][entry[1][0]] = entry[2][0].decode()

    def describe(self, described):
        uuid = described[1][0]
        assert uuid not in self.tracks, "a track for two descriptors"
        parent = self.tracks[described[5][0]] if described[5] else None
        self.tracks[uuid] = Track(described[2][0].decode(), parent, described[12][0],
                                  bool(described[8]))

    def resolve(self, event):
        """With names for numbers, which are known by now: a reader never looks ahead."""
        event["name"] = self.names[2][event[10][0]] if event[10] else None
        event["category"] = self.names[1][event[3][0]] if event[3] else None
        event["arguments"] = {}
        for argument in map(message, event[4]):
            event["arguments"][self.names[3][argument[1][0]]] = signed(argument[4][0])
        return event

    def play(self, time, event):
        track = self.tracks[event[11][0]]
        kind = event[9][0]
        if kind == 1:
            begun = Slice(event["name"], event["category"], time, event["arguments"],
                          len(track.open))
            begun.track = track
            begun.flows_out = [struct.unpack("<Q", flow)[0] for flow in event[47]]
            track.open.append(begun)
            track.slices.append(begun)
        elif kind == 2:
            ended = track.open.pop()
            ended.end_ns = time
            # Whether slices of a track overlapped, and an end closed the wrong one.
            assert "duration_ps" not in ended.arguments or ended.end // 1000 == time, \
                f"{track.path}: {ended.name} ends at {time} ns, and should at {ended.end} ps"
            ended.flows_in = [struct.unpack("<Q", flow)[0] for flow in event[48]]
        elif kind == 4:
            assert track.is_counter, "a value on a track of slices"
            value = signed(event[30][0]) if event[30] else struct.unpack("<d", event[44][0])[0]
            track.values.append((time, value))
        else:
            raise ValueError(f"event of type {kind}")

    def by_path(self):
        """{path: [tracks]} in the order in which a reader sees them."""
        found = defaultdict(list)

        def order(track):
            above = order(track.parent) if track.parent else ()
            return above + ((track.place, track.name),)
        for track in sorted(self.tracks.values(), key=order):
            found[track.path].append(track)
        return found

    def slices(self, path):
        """Of all tracks that are drawn as this one, in time."""
        together = [piece for track in self.by_path()[path] for piece in track.slices]
        return sorted(together, key=lambda piece: (piece.begin_ns, piece.depth))

    def flows(self):
        """(slice that it leaves, slice at whose end it arrives)"""
        pieces = [piece for track in self.tracks.values() for piece in track.slices]
        leaves = {flow: piece for piece in pieces for flow in piece.flows_out}
        return [(leaves[flow], piece) for piece in pieces for flow in piece.flows_in
                if flow in leaves]


def read(path):
    with open(path, "rb") as file:
        return Trace(file.read())


def microseconds(nanoseconds):
    return f"{nanoseconds / 1000:.3f}"


def digest(trace, wanted):
    for path, tracks in trace.by_path().items():
        values = [value for track in tracks for _, value in track.values]
        if tracks[0].is_counter:
            yield f"{path}: {len(values)} values, at most {max(values):g}"
            continue
        slices = trace.slices(path)
        busy = sum(piece.end_ns - piece.begin_ns for piece in slices if piece.depth == 0)
        if slices:
            yield f"{path}: {len(slices)} slices, {microseconds(busy)} us"
        if wanted is not None and wanted in path:
            for piece in slices:
                yield (f"  {microseconds(piece.begin_ns):>12} {microseconds(piece.end_ns):>12}  "
                       f"{'  ' * piece.depth}{piece.name}")
    if trace.flows():
        yield f"{len(trace.flows())} arrows"


def picture(trace, columns=120):
    """A column is what the rank was at in the middle of its time: 0 1 2 forward passes of
    micro-batches, a b c backward passes, A B C weight gradients apart."""
    ranks = [path for path in trace.by_path() if path.startswith("rank") and " / " not in path]
    end = max(piece.end_ns for path in ranks for piece in trace.slices(path))
    for path in ranks:
        line = ["."] * columns
        for piece in trace.slices(path):
            if piece.category != "step":
                continue
            number = int(piece.name[1:].partition(".")[0]) % 26
            sign = {"F": str(number % 10), "B": chr(ord("a") + number), "W": chr(ord("A") + number)}
            for column in range(columns):
                if piece.begin_ns <= (column + 0.5) * end / columns < piece.end_ns:
                    line[column] = sign[piece.name[0]]
        yield f"{''.join(line)}  {path}"


def main(path, wanted=None):
    trace = read(path)
    for line in picture(trace) if wanted == "--picture" else digest(trace, wanted):
        print(line)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except BrokenPipeError:
        pass
