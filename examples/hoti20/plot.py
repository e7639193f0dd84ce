"""Line charts and bar charts as SVG, without any library."""
import html
import math

# The palette of Orrery's reports: readers who confuse colours tell these apart. Dashes and shapes are
# a second sign, in print.
COLOURS = ["#0072b2", "#d55e00", "#008060", "#aa4499", "#8c6d00", "#882255"]
DASHES = ["none", "8 3", "3 3", "10 3 3 3", "6 2", "2 4"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 70, 150, 40, 60


def text(x, y, what, size=12, anchor="middle", turn=None):
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn is not None else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{turned}>'
            f"{html.escape(str(what))}</text>")


def even_ticks(high):
    """From 0: multiples of 1, 2 or 5 times a power of ten, five to ten of them."""
    power = 10.0 ** math.floor(math.log10(high / 5))
    step = power * max(factor for factor in (1, 2, 5) if high / (power * factor) >= 5)
    return [i * step for i in range(int(high / step) + 1)]


def ticks(low, high):
    """Powers of ten, with 2 and 5 between them if there are few."""
    marks = [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    if len(marks) < 4:
        marks = [mark * step for mark in marks for step in (1, 2, 5)]
    return [mark for mark in marks if low <= mark * 1.0001 and mark <= high * 1.0001]


def number(value):
    return f"{value:.0f}" if value >= 10 else f"{value:g}"


def mark(x, y, index):
    """A circle, a square or a triangle."""
    if index % 3 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{COLOURS[index]}"/>'
    shape = "h8v8h-8z" if index % 3 == 1 else "l4 8h-8z"
    begin = x - 4 if index % 3 == 1 else x
    return f'<path d="M{begin:.1f} {y - 4:.1f}{shape}" fill="{COLOURS[index]}"/>'


class Frame:
    """A frame whose y axis is logarithmic, or begins at 0, and the names of the series at its right."""

    def __init__(self, title, y_label, low, high, width=WIDTH, bottom=BOTTOM):
        self.width, self.low, self.high = width, low / 1.15, high * 1.15 if low else high * 1.05
        self.bottom, self.height = HEIGHT - BOTTOM, HEIGHT - BOTTOM + bottom
        self.parts = [text(width / 2, 20, title, 14),
                      text(16, (TOP + self.bottom) / 2, y_label, 12, "middle", -90)]
        for tick in ticks(self.low, self.high) if low else even_ticks(self.high):
            y = self.y(tick)
            self.parts.append(f'<line x1="{LEFT}" x2="{width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                              'stroke="#ddd"/>' + text(LEFT - 6, y + 4, number(tick), 11, "end"))

    def y(self, value):
        share = value / self.high
        if self.low:
            share = ((math.log(value) - math.log(self.low)) /
                     (math.log(self.high) - math.log(self.low)))
        return self.bottom - share * (self.bottom - TOP)

    def name_series(self, index, name, sign):
        y = TOP + 10 + 18 * index
        self.parts.append(sign(self.width - RIGHT + 18, y - 4, index) +
                          text(self.width - RIGHT + 34, y, name, 12, "start"))

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">\n'
                '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) +
                "\n</svg>\n")


def lines(title, x_label, y_label, names, series, are_joined=True):
    """`series`: name -> {one of `names`: value}; the names stand at equal distances. A line ends
    where a value is missing. Not joined: the names are not steps of one quantity."""
    values = [value for points in series.values() for value in points.values()]
    frame = Frame(title, y_label, min(values), max(values))
    step = (WIDTH - LEFT - RIGHT) / len(names)
    place = {name: LEFT + step * (i + 0.5) for i, name in enumerate(names)}
    for name, x in place.items():
        frame.parts.append(text(x, HEIGHT - BOTTOM + 18, name, 11))
    frame.parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label))
    for index, (name, points) in enumerate(series.items()):
        path, is_new = "", True
        for x in names:
            if x in points:
                path += f"{'M' if is_new else 'L'}{place[x]:.1f} {frame.y(points[x]):.1f}"
                frame.parts.append(mark(place[x], frame.y(points[x]), index))
            is_new = x not in points
        if are_joined:
            frame.parts.append(f'<path d="{path}" fill="none" stroke="{COLOURS[index]}" '
                               f'stroke-width="2" stroke-dasharray="{DASHES[index]}"/>')
        frame.name_series(index, name, mark)
    return frame.svg()


def bars(title, y_label, names, series):
    """Groups of bars, one group for each name, from 0."""
    longest = max(len(name) for name in names)
    width = max(WIDTH, LEFT + RIGHT + 44 * len(names))
    frame = Frame(title, y_label, 0, max(max(points.values()) for points in series.values()), width,
                  bottom=20 + 4 * longest)
    step = (width - LEFT - RIGHT) / len(names)
    thick = 0.8 * step / len(series)
    for i, name in enumerate(names):
        frame.parts.append(text(LEFT + step * (i + 0.5), frame.bottom + 14, name, 10, "end", -35))
    for index, (name, points) in enumerate(series.items()):
        for i, group in enumerate(names):
            x, y = LEFT + step * (i + 0.1) + thick * index, frame.y(points.get(group, 0))
            frame.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{thick:.1f}" '
                               f'height="{frame.bottom - y:.1f}" fill="{COLOURS[index]}"/>')
        frame.name_series(index, name, lambda x, y, which:
                          f'<rect x="{x - 6}" y="{y - 5}" width="12" height="10" '
                          f'fill="{COLOURS[which]}"/>')
    return frame.svg()
