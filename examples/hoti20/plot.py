"""Line charts and bar charts as SVG, without any library."""
import html
import math

COLOURS = ["#1b6ca8", "#d1495b", "#3a7d44", "#edae49", "#6c5b7b", "#444444"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 70, 150, 40, 60


def text(x, y, what, size=12, anchor="middle", turn=None):
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn is not None else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{turned}>'
            f"{html.escape(str(what))}</text>")


def ticks(low, high):
    """Powers of ten, with 2 and 5 between them if there are few."""
    marks = [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    if len(marks) < 4:
        marks = [mark * step for mark in marks for step in (1, 2, 5)]
    return [mark for mark in marks if low <= mark * 1.0001 and mark <= high * 1.0001]


def number(value):
    return f"{value:.0f}" if value >= 10 else f"{value:g}"


class Frame:
    """A frame with a logarithmic y axis, and the names of the series at its right."""

    def __init__(self, title, y_label, low, high, width=WIDTH):
        self.width, self.low, self.high = width, low / 1.15, high * 1.15
        self.parts = [text(width / 2, 20, title, 14),
                      text(16, (TOP + HEIGHT - BOTTOM) / 2, y_label, 12, "middle", -90)]
        for mark in ticks(self.low, self.high):
            y = self.y(mark)
            self.parts.append(f'<line x1="{LEFT}" x2="{width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                              'stroke="#ddd"/>' + text(LEFT - 6, y + 4, number(mark), 11, "end"))

    def y(self, value):
        share = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def name_series(self, index, name):
        y = TOP + 10 + 18 * index
        self.parts.append(f'<rect x="{self.width - RIGHT + 12}" y="{y - 9}" width="12" height="10" '
                          f'fill="{COLOURS[index]}"/>' +
                          text(self.width - RIGHT + 30, y, name, 12, "start"))

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{HEIGHT}" '
                f'viewBox="0 0 {self.width} {HEIGHT}" font-family="sans-serif">\n'
                '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) +
                "\n</svg>\n")


def lines(title, x_label, y_label, names, series):
    """`series`: name -> {one of `names`: value}; the names stand at equal distances."""
    values = [value for points in series.values() for value in points.values()]
    frame = Frame(title, y_label, min(values), max(values))
    step = (WIDTH - LEFT - RIGHT) / len(names)
    place = {name: LEFT + step * (i + 0.5) for i, name in enumerate(names)}
    for name, x in place.items():
        frame.parts.append(text(x, HEIGHT - BOTTOM + 18, name, 11))
    frame.parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label))
    for index, (name, points) in enumerate(series.items()):
        xy = [(place[x], frame.y(points[x])) for x in names if x in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in xy)
        frame.parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[index]}" '
                           'stroke-width="2"/>')
        frame.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[index]}"/>'
                        for x, y in xy]
        frame.name_series(index, name)
    return frame.svg()


def bars(title, y_label, names, series):
    """Groups of bars, one group for each name. Values of 0 have none."""
    values = [value for points in series.values() for value in points.values() if value > 0]
    width = max(WIDTH, LEFT + RIGHT + 44 * len(names))
    frame = Frame(title, y_label, min(values), max(values), width)
    step = (width - LEFT - RIGHT) / len(names)
    thick = 0.8 * step / len(series)
    for i, name in enumerate(names):
        frame.parts.append(text(LEFT + step * (i + 0.5), HEIGHT - BOTTOM + 14, name, 10, "end", -35))
    for index, (name, points) in enumerate(series.items()):
        for i, group in enumerate(names):
            value = points.get(group, 0)
            if value <= 0:
                continue
            x, y = LEFT + step * (i + 0.1) + thick * index, frame.y(value)
            frame.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{thick:.1f}" '
                               f'height="{HEIGHT - BOTTOM - y:.1f}" fill="{COLOURS[index]}"/>')
        frame.name_series(index, name)
    return frame.svg()
