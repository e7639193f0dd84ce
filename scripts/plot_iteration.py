#!/usr/bin/env python3
"""Draws where the time of each system's iteration goes, as an SVG of stacked bars.

    orrery compare examples/llama-70b/{fsdp,tensor,pipeline,overlap}.yaml --format json |
        scripts/plot_iteration.py "TITLE" > docs/pictures/llama-70b.svg

Reads the JSON of `orrery compare` for transformers (docs/results.md, `training`). A bar is the
last rank of the stage that finishes last; its parts add up to the finish.
"""
import html
import json
import sys

COLOURS = {"forward": "#2b5d8a", "backward": "#4f8fc4", "optimizer": "#9dc3e2",
           "TP": "#d9762b", "CP": "#e0a030", "EP": "#c04848", "DP": "#8a5a9e", "PP": "#7a7a3a",
           "embedding": "#b0a080", "norm": "#808080", "bubble": "#cccccc", "idle": "#eeeeee"}
LEFT, WIDTH, BAR, GAP, TOP = 90, 560, 26, 14, 44
PICOSECONDS = 1e12


def parts_of(system):
    """{part: seconds} of the rank that finishes last."""
    training = system["training"]
    stage = training["stages"][training["last_stage"]]
    return {part: time / PICOSECONDS / system["iterations"]
            for part, time in stage["parts_ps"].items() if time > 0}


def text(x, y, content, anchor="start", size=13):
    return (f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}">'
            f'{html.escape(content)}</text>')


def legend(shown, y):
    x = LEFT
    for part in shown:
        yield f'<rect x="{x}" y="{y - 10}" width="11" height="11" fill="{COLOURS[part]}"/>'
        yield text(x + 15, y, part, size=12)
        x += 27 + 7 * len(part)


def draw(systems, title):
    bars = [(system["name"], parts_of(system)) for system in systems]
    longest = max(sum(parts.values()) for _, parts in bars)
    height = TOP + len(bars) * (BAR + GAP) + 30
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 80} {height}" '
           f'font-family="sans-serif" fill="#222222">')
    yield '<rect width="100%" height="100%" fill="#ffffff"/>'
    yield text(LEFT, 24, title, size=15)
    for row, (name, parts) in enumerate(bars):
        x, y = LEFT, TOP + row * (BAR + GAP)
        yield text(LEFT - 8, y + BAR - 8, name, "end")
        for part, seconds in parts.items():
            width = seconds / longest * WIDTH
            if width >= 0.5:
                yield (f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" '
                       f'fill="{COLOURS[part]}"/>')
            x += width
        yield text(x + 6, y + BAR - 8, f"{sum(parts.values()):.2f} s")
    visible = [part for part in COLOURS
               if any(parts.get(part, 0) > longest / 500 for _, parts in bars)]
    yield from legend(visible, height - 12)
    yield "</svg>"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("\n".join(draw(json.load(sys.stdin)["systems"], sys.argv[1])))


if __name__ == "__main__":
    main()
