"""Files of other programs, written for scripts/measure_speed.py: traces whose nodes have about 100
bytes and two dependencies each, and a profile of PyTorch."""
import json
import os


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    return text(10, text(1, name) + number(9, value))


def node(identity, collective, time):
    body = number(1, identity) + text(2, b"a_kernel_of_some_model_%08d" % identity)
    body += number(3, 7 if collective else 4) + number(7, time)
    body += b"".join(number(5, other) for other in (identity - 1, identity - 2) if other >= 0)
    if collective:
        body += attribute(b"comm_type", 0) + attribute(b"comm_size", 65_536)
    else:
        body += attribute(b"num_ops", 1_000_000) + attribute(b"tensor_size", 4_096)
    return varint(len(body)) + body


def write_traces(folder, ranks, nodes, distinct, every=0):
    """Of `every` nodes one is an all-reduce, if it is not 0. Distinct ranks differ in the time of a
    node; ranks r and r + distinct share a file."""
    head = varint(7) + text(1, b"1.0.0")
    plain = [node(i, every > 0 and i % every == every - 1, 10) for i in range(nodes)]
    for rank in range(ranks):
        path = folder / f"t.{rank}.et"
        path.unlink(missing_ok=True)
        if rank >= distinct:
            os.link(folder / f"t.{rank % distinct}.et", path)
            continue
        own = list(plain)
        own[1] = node(1, False, 11 + rank)
        path.write_bytes(head + b"".join(own))


def experiment(folder, ranks):
    (folder / "job.yaml").write_text(
        f"platform: {{topology: {{levels: [{{kind: switch, size: {ranks}, bandwidth: 25 GB/s, "
        "latency: 1 us}]}}\nsystem: {algorithms: halving_doubling, chunks: 1}\nworkload: {trace: {files: t.%d.et}}\n")


def write_profile(path):
    """Of PyTorch: 85,000 kernels, 26 MB."""
    event = {"ph": "X", "cat": "kernel", "name": "void a::kernel<float, 4>(int, float*)", "pid": 0,
             "tid": 7, "args": {"External id": 1, "device": 0, "context": 1, "stream": 7,
                                "correlation": 1, "registers per thread": 40, "grid": [16, 1, 1],
                                "block": [128, 1, 1], "est. achieved occupancy %": 0}}
    events = [dict(event, ts=i * 10, dur=5 + i % 7) for i in range(85_000)]
    path.write_text(json.dumps({"traceEvents": events}))
