"""Sentences of docs/studies/hoti20.md with measured numbers, from docs/studies/hoti20/*.csv."""
import textwrap

import results
import skew
from results import (BUFFER, CHUNKS, RTO, SIZE, SKEW, SYSTEMS, WINDOW, milliseconds,
                     select)
from skew import count, megabytes_used, spread


NOT_RUN = "Not run.\n"


def paragraph(text, first="", rest=""):
    return textwrap.fill(" ".join(text.split()), 100, initial_indent=first, subsequent_indent=rest,
                         break_long_words=False, break_on_hyphens=False) + "\n"


def bullets(texts):
    return "".join(paragraph(text, "- ", "  ") for text in texts)


def ms(row):
    return milliseconds(row)


def median(rows, value=milliseconds):
    return spread(rows, value)[0]


def between(rows, value, form):
    """"a to b", or one number."""
    _, least, most = spread(rows, value)
    low, high = skew.written(least, form), skew.written(most, form)
    return low if low == high else f"{low} to {high}"


def point(rows, **wanted):
    found = select(rows, **wanted)
    if len(found) != 1:
        raise SystemExit(f"{len(found)} runs of {wanted}")
    return found[0]


def at(rows, text):
    return select(rows, **{SKEW: text})


def missing(count):
    runs = "run of this sweep has" if count == 1 else "runs of this sweep have"
    return paragraph(f"{count} {runs} no result, for want of processor time.")


# --- Which program made which table ---

def handshake_changes(data):
    """(what, ms before, ms after) of runs in lock step that both programs made."""
    before = [{**row, CHUNKS: "8"} for row in data["single-single-a2a"]] + data["single-single"]
    found = []
    for what, rows, size, chunks, memory in (
            ("all-to-all, 16 MiB", data["single-skew-a2a"], "16 MiB", "8", "64 MB"),
            ("trees, 16 MiB, 32 chunks", select_chunks(data, "32"), "16 MiB", "32", "64 MB"),
            ("trees, 16 MiB, 1024 chunks", select_chunks(data, "1024"), "16 MiB", "1024", "64 MB"),
            ("trees, 1 MiB, 32 chunks, with losses", select(data["single-rto-trees"], **{RTO: "1 s"}),
             "1 MiB", "32", "16 MB")):
        for row in at(rows, "0 us"):
            old = point(before, **{SIZE: size, CHUNKS: chunks, BUFFER: memory, WINDOW: "0.5 MB"})
            found.append((what, ms(old), ms(row)))
    return found


def select_chunks(data, chunks):
    return [row for row in data["single-skew-trees"] if row[CHUNKS] == chunks]


def handshake(data):
    changes = handshake_changes(data)
    largest = max(abs(after / before - 1) for _, before, after in changes)
    return paragraph(f"""The time of runs that both programs made changed by at most
        {largest:.2%}: """ + "; ".join(
            f"{what}: {before:.3f} to {after:.3f} ms" for what, before, after in changes) + ".")


# --- Sections with skew ---

def a2a_text(data):
    lines = {line: (rows, ideal) for line, rows, ideal in skew.a2a_lines(data)}
    rows, ideal = lines["A2A, 64 MB"]
    step = point(rows, **{SKEW: "0 us"})
    texts = [f"""In lock step it takes {ms(step):.2f} ms, uses {megabytes_used(step):.2f} MB of the
        switch's memory and loses nothing."""]
    for text in ("0.1 us", "1 us", "3 us", "20 us"):
        runs = at(rows, text)
        if not runs:
            continue
        texts.append(f"""With a skew of {text} and the study's 64 MB ({len(runs)} seeds) it takes
            {between(runs, milliseconds, ',.1f')} ms, {between(
                runs, skew.over(ideal), skew.times)} times the analytical time, with
            {between(runs, count('drops'), ',.0f')} packets lost and
            {between(runs, count('timeouts'), ',.0f')} timeouts.""")
    if "A2A, 1 GB" in lines:
        ample = lines["A2A, 1 GB"][0]
        for text in ("0.1 us", "1 us", "3 us", "20 us"):
            runs = at(ample, text)
            if not runs:
                continue
            texts.append(f"""With 1 GB and a skew of {text} it loses
                {between(runs, count('drops'), ',.0f')} packets, uses
                {between(runs, megabytes_used, ',.0f')} MB and takes
                {between(runs, milliseconds, '.2f')} ms.""")
    if "A2A, 4 MB" in lines:
        small = lines["A2A, 4 MB"][0]
        for text in ("0.1 us", "1 us", "3 us", "20 us"):
            runs = at(small, text)
            if not runs:
                continue
            texts.append(f"""With 4 MB and a skew of {text} it loses
                {between(runs, count('drops'), ',.0f')} packets and takes
                {between(runs, milliseconds, ',.1f')} ms.""")
    return bullets(texts)


def timeout_text(rows, ideal, text):
    parts = []
    for timeout in skew.TIMEOUTS:
        runs = select(rows, **{SKEW: text, RTO: timeout})
        if runs:
            parts.append(f"{skew.times(median(runs, skew.over(ideal)))} times with {timeout}")
    step = "in lock step" if text == "0 us" else f"with a skew of {text}"
    return f"Over the analytical time, {step} (median): " + ", ".join(parts) + "."


def tree_timeout_text(data):
    rows, ideal = data["single-rto-trees"], skew.analytical(data, "1 MiB", "double_binary_tree", "32")
    clean = [row for row in rows if row["timeouts"] == "0"]
    return bullets([timeout_text(rows, ideal, text) for text in ("0 us", "3 us", "20 us")] + [
        f"""{len(clean)} of the {len(rows)} runs have no timeout. They take at most
        {max(ms(row) / ideal for row in clean):.2f} times the analytical time.""" if clean else
        f"All {len(rows)} runs have timeouts."])


def tree_text(data):
    texts = []
    for line, rows, ideal in skew.tree_lines(data):
        used = max(megabytes_used(row) for row in rows)
        lost = sum(int(row["drops"]) for row in rows)
        texts.append(f"""{line}: over all skews and seeds at most {used:.1f} MB of memory are used,
            {lost:,} packets are lost, and the time is {between(rows, milliseconds, '.2f')} ms, at
            most {max(ms(row) / ideal for row in rows):,.2f} times the analytical one.""")
    return bullets(texts)


def model_text(data):
    texts = []
    for grid in ("full", "reduced"):
        rows = data[f"{grid}-skew-model-a2a"]
        for text in sorted({row[SKEW] for row in rows}, key=skew.time_of):
            for timeout in skew.TIMEOUTS:
                runs = at(select(rows, **{RTO: timeout}), text)
                if runs:
                    texts.append(model_sentence(grid, text, timeout, runs))
    if not data["full-skew-model-a2a"]:
        cost = point(data["full-algorithm"], **{"system": "Flat100G", BUFFER: "1 GB"})["cpu_s"]
        texts.append(f"""The full model was not run with skew, for want of processor time: its two
            iterations cost {float(cost):.0f} CPU seconds in lock step.""")
    return bullets(texts)


def model_sentence(grid, text, timeout, runs):
    when = "in lock step" if text == "0 us" else f"with a skew of {text}"
    seeds = f"{len(runs)} seed" + "s" * (len(runs) > 1)
    return f"""The {grid} model, {when} and with a minimum timeout of {timeout} ({seeds}), takes
        {between(runs, milliseconds, ',.2f')} ms, loses {between(runs, count('drops'), ',.0f')}
        packets and has {between(runs, count('timeouts'), ',.0f')} timeouts."""


def skewed_systems(data):
    """Of the reduced model: system -> (row in lock step, row with 3 us), with the default memory."""
    return {system: (results.base(data["reduced-systems"], system),
                     select(data["reduced-skew-systems"], system=system)[0])
            for system in SYSTEMS if select(data["reduced-skew-systems"], system=system)}


def systems_skew_text(data):
    both = skewed_systems(data)
    if not both:
        return NOT_RUN
    change = {system: ms(late) / ms(step) - 1 for system, (step, late) in both.items()}
    lost = sum(int(late["drops"]) for _, late in both.values())
    most = max(change, key=lambda system: abs(change[system]))
    texts = [f"""With the default memory and a skew of 3 us, {lost:,} packets are lost in all
        {len(both)} systems together. The times change by
        {change[most]:+.1%} at most ({most})."""]
    if len(both) == len(SYSTEMS):
        times = {system: ms(late) for system, (_, late) in both.items()}
        order = " < ".join(sorted(times, key=times.get))
        texts.append(f"""The order of the systems is {order}, and the slowest takes
            {max(times.values()) / min(times.values()):.2f} times as long as the fastest.""")
    for row in data["reduced-skew-buffer-hier"]:
        texts.append(f"""{row['system']} with 64 MB in all and a skew of {row[SKEW]} uses
            {megabytes_used(row):.1f} MB, loses {int(row['drops']):,} packets and takes
            {ms(row):,.2f} ms.""")
    return bullets(texts)


# --- Sections in lock step ---

def systems_text(data):
    ratios, lost = [], 0
    for grid in ("full", "reduced"):
        for system in SYSTEMS:
            row = results.base(data[f"{grid}-systems"], system)
            ideal = select(data[f"{grid}-systems"], system=system, backend="analytical")[0]
            ratios.append(ms(row) / ms(ideal) - 1)
            lost += int(row["drops"])
    return paragraph(f"""{lost} packets are lost with 1 GB. TCP costs {min(ratios):.1%} to
        {max(ratios):.1%} over the analytical model: headers, acknowledgements that wait behind the
        host's own data, and queues where trees join.""")


def buffer_text(data):
    rows = data["full-buffer-hier"]
    small = point(rows, **{"system": "Hier", BUFFER: "4 MB"})
    less = point(rows, **{"system": "Hier", BUFFER: "1 MB"})
    return paragraph(f"""With 64 MB, the study's small value, Hier uses
        {megabytes_used(small):.1f} MB and loses nothing: it is {1 - megabytes_used(small) / 64:.0%}
        away from losing packets. With 16 MB it has {int(less['timeouts']):,} timeouts and takes
        {ms(less):,.0f} ms: nothing is sent for a second, and more than once. Whether the
        64 MB suffice with skew: [above](#with-start-skew).""")


def window_text(data):
    base = {system: ms(results.base(data["full-systems"], system)) for system in SYSTEMS}

    def change(system, window):
        return ms(point(data["full-window"], **{"system": system, WINDOW: window})) / base[system] - 1
    flat = max(abs(change(system, "0.1 MB")) for system in ("Flat100G", "Flat800G"))
    small = [change(system, "0.025 MB") for system in SYSTEMS]
    large = min(change(system, "2 MB") for system in SYSTEMS)
    return paragraph(f"""A window of 0.1 MB instead of 0.5 MB changes the flat systems by at most
        {flat:.1%} and costs Hier {change('Hier', '0.1 MB'):.0%}. A flat chunk is at most 17 kB, a
        chunk of Hier 133 kB, which is more than the smaller window, so it waits for acknowledgements
        in the middle. 25 kB bind everywhere: {min(small):.0%} to {max(small):.0%}, least on HierOpt,
        whose chunks between the nodes are a sixteenth. 2 MB instead of 0.5 MB gain {-large:.1%} at
        most.""")


def chunks_text(data):
    rows = data["reduced-chunks"]
    many = point(rows, **{"system": "Flat800G", CHUNKS: "1024", results.LIMIT: "64"})
    few = point(rows, **{"system": "Flat800G", CHUNKS: "128", results.LIMIT: "128"})
    return paragraph(f"""With 128 chunks Flat800G takes {ms(few) / ms(many):.0%} of the time that it
        takes with the study's 1024, and is then the fastest of all.""")


def algorithm_text(data):
    texts = []
    for system in ("Flat100G", "Flat800G"):
        tree = results.base(data["full-systems"], system)
        both = [point(data["full-algorithm"], **{"system": system, BUFFER: memory})
                for memory in ("1 GB", "4 MB")]
        small = point(data["full-buffer-flat"], **{"system": system, BUFFER: "4 MB"})
        texts.append(f"""{system}: all-to-all takes {ms(both[0]) / ms(tree):.3f} of the time of the
            trees. With 4 MB it loses {both[1]['drops']} packets and the trees
            {int(small['drops']):,}.""")
    return bullets(texts)


def single_text(data):
    rows = data["single-single"]
    clean = [(row, ratio) for row, _, ratio in results.single_ratios(
        rows, data["single-single-analytical"]) if row["drops"] == "0"]
    worst, high = max(clean, key=lambda found: found[1])
    large = max(ratio for row, ratio in clean if row[SIZE] == "100 MB" and row[WINDOW] == "0.1 MB")
    used = max(megabytes_used(row) for row, _ in clean if row[WINDOW] == "0.5 MB")
    narrow = max(megabytes_used(row) for row, _ in clean if row[WINDOW] == "0.1 MB")
    return bullets([
        f"""Where nothing is lost TCP costs at most {high - 1:.0%} ({worst[SIZE]}); a window of 0.1 MB
        costs at most {large - 1:.0%} at 100 MB.""",
        f"""The most memory that trees use without loss is {used:.1f} MB with a window of 0.5 MB,
        {1 - used / 64:.0%} below the study's 64 MB, and {narrow:.1f} MB with 0.1 MB."""])


def order_text(data):
    found = results.single_ratios(data["single-single"], data["single-single-analytical"])
    worst, _, low = min(found, key=lambda ratio: ratio[2])
    return paragraph(f"""The least ratio is {low:.3f} ({worst[SIZE]}, window {worst[WINDOW]}). The
        effect goes with a larger window: chunks of 33 kB are small against 0.5 MB, which holds all
        16.""")


def mtu_text(data):
    change = {row["system"]: ms(row) / ms(results.base(data["reduced-systems"], row["system"])) - 1
              for row in data["reduced-mtu"]}
    most = max(change, key=change.get)
    least = min(change, key=change.get)
    return paragraph(f"""Small packets cost {change[most]:+.1%} at most ({most}) and
        {change[least]:+.1%} at least ({least}).""")
