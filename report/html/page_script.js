// What a report can do where scripts are allowed: sort and filter tables, read charts by pointer
// and keys, highlight one name in all of them, zoom into time. The page is whole without it.
// A chart says what it shows in its marks: elements with a <title>, "NAME, PART: VALUE". Charts
// that can be zoomed have data-across="LEFT RIGHT LOW HIGH UNIT" (pixels, then values), and groups
// with data-part: "across" (grid and labels of that axis) and "plot" (marks). Charts of cells have
// data-cells="LEFT TOP WIDTH HEIGHT" (of the first), data-rows and data-columns: a line each.
(() => {
'use strict';

const svgSpace = 'http://www.w3.org/2000/svg';
const all = (root, what) => [...root.querySelectorAll(what)];
const clamp = (low, value, high) => Math.min(Math.max(low, value), high);

function made(tag, attributes, text) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
}

function drawnElement(tag, attributes) {
  const element = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function button(text, label, act) {
  const element = made('button', {type: 'button', 'aria-label': label, title: label}, text);
  element.addEventListener('click', act);
  return element;
}

// ---- What is pointed at, in words.

const readout = made('output', {class: 'readout', 'aria-live': 'polite', hidden: ''});
document.body.append(readout);

function say(text, link) {
  readout.textContent = text;
  if (link) {
    const anchor = made('a', {href: link.getAttribute('href')}, link.textContent);
    readout.append(' ', anchor);
  }
  readout.hidden = !text;
}

// ---- Marks of charts, and the rows of tables that they belong to.

const titleOf = mark => [...mark.children].find(child => child.localName === 'title')?.textContent;
const marksOf = chart =>
  all(chart, 'rect, circle, path').filter(mark => titleOf(mark) && !mark.closest('defs'));

const begins = (title, name) =>
  title === name || title.startsWith(name + ',') || title.startsWith(name + ':');

const rowsOf = table => [...table.tBodies[0].rows];
const textsOf = row => [...row.cells].filter(cell => !cell.querySelector('data'))
  .map(cell => cell.textContent).filter(text => text && text !== '-');

function rowOfMark(title, rows) {
  return rows.find(row => {
    const [name, ...others] = textsOf(row);
    return name && begins(title, name) && others.every(text => title.includes(text));
  });
}

function chartOf(details) {
  for (let at = details.previousElementSibling; at; at = at.previousElementSibling) {
    if (at.localName === 'figure') return at.querySelector('svg');
    if (at.localName === 'details') return null;
  }
  return null;
}

const names = [...new Set(all(document, 'tbody th').map(head => head.textContent))]
  .sort((one, other) => other.length - one.length);
const nameOf = title => names.find(name => begins(title, name)) ?? title.split(/[,:]/)[0];

// ---- One name, in all charts and tables.

let lit = null;

function highlight(name) {
  lit = name === lit ? null : name;
  let charts = 0;
  for (const chart of all(document, 'figure svg')) {
    const marks = marksOf(chart);
    const has = lit !== null && marks.some(mark => begins(titleOf(mark), lit));
    charts += has;
    for (const mark of marks) mark.classList.toggle('pale', has && !begins(titleOf(mark), lit));
  }
  const heads = all(document, 'tbody th');
  for (const head of heads)
    head.parentElement.classList.toggle('lit', lit !== null && head.textContent === lit);
  const row = heads.find(head => head.textContent === lit);
  say(lit === null ? '' : `${lit}: highlighted in ${charts} of the charts. Escape ends it.`,
      row?.parentElement.querySelector('a'));
}

// ---- Tables.

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const keyOf = row => {
    const data = row.cells[column].querySelector('data');
    return data ? Number(data.value) : row.cells[column].textContent;
  };
  const rows = rowsOf(table);
  const areNumbers = rows.some(row => typeof keyOf(row) === 'number');
  const before = heads[column].getAttribute('aria-sort');
  const down = before ? before === 'ascending' : areNumbers;
  for (const head of heads) head.removeAttribute('aria-sort');
  heads[column].setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const order = (one, other) => {
    if (typeof one === 'number' && typeof other === 'number') return one - other;
    if (typeof one !== typeof other) return typeof one === 'number' ? 1 : -1;
    return one.localeCompare(other, 'en', {numeric: true});
  };
  rows.sort((one, other) => (down ? -1 : 1) * order(keyOf(one), keyOf(other)));
  table.tBodies[0].append(...rows);
}

function addFilter(details, table, tools) {
  const rows = rowsOf(table), chart = chartOf(details);
  const input = made('input', {type: 'search', 'aria-label': 'Rows that have these words'});
  const count = made('output', {});
  let rowOf = null;  // of each mark, looked for once
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
    count.textContent =
      words.length ? `${rows.filter(row => !row.hidden).length} of ${rows.length} rows` : '';
    if (!chart) return;
    rowOf ??= new Map(marksOf(chart).map(mark => [mark, rowOfMark(titleOf(mark), rows)]));
    for (const [mark, row] of rowOf) mark.classList.toggle('out', Boolean(row?.hidden));
  });
  const label = made('label', {}, 'Filter: ');
  label.append(input);
  tools.append(label, count);
}

function addCopy(table, tools) {
  if (!navigator.clipboard) return;
  tools.append(button('Copy', 'Copy the rows, with exact values', () => {
    const textOf = cell => cell.querySelector('data')?.value ?? cell.textContent;
    const lines = [table.tHead.rows[0], ...rowsOf(table).filter(row => !row.hidden)]
      .map(row => [...row.cells].map(textOf).join('\t'));
    navigator.clipboard.writeText(lines.join('\n') + '\n')
      .then(() => say(`${lines.length - 1} rows are in the clipboard.`),
            () => say('The browser does not allow the clipboard.'));
  }));
}

for (const table of all(document, 'details > table')) {
  const tools = made('p', {class: 'tools'});
  addFilter(table.parentElement, table, tools);
  addCopy(table, tools);
  table.before(tools);
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const text = head.textContent;
    head.textContent = '';
    const title = head.title ? head.title + ' (a click sorts)' : `Sort by ${text}`;
    const sorter = made('button', {type: 'button', title}, text);
    sorter.addEventListener('click', () => sortBy(table, column));
    head.append(sorter);
  });
}

// ---- Zoom into what has time across.

function ticks(low, high, most) {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  const step = power * [1, 2, 5, 10].find(factor => (high - low) / (power * factor) <= most);
  const values = [];
  for (let i = Math.ceil(low / step); i * step <= high; ++i)
    values.push(Number((i * step).toPrecision(12)));
  return values;
}

const cornersOf = path => [...path.getAttribute('d').matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)]
  .map(([, x, y]) => [Number(x), Number(y)]);

class Zoom {
  constructor(chart) {
    const [left, right, low, high] = chart.dataset.across.split(' ');
    Object.assign(this, {chart, left: +left, right: +right, low: +low, high: +high});
    this.from = this.low;
    this.to = this.high;
    this.unit = chart.dataset.across.split(' ').slice(4).join(' ');
    this.axis = chart.querySelector('[data-part=across]');
    this.plot = chart.querySelector('[data-part=plot]');
    this.lineLike = this.axis.querySelector('line').cloneNode();
    this.textLike = this.axis.querySelector('text').cloneNode();
    this.rects = all(this.plot, 'rect').map(
      rect => [rect, Number(rect.getAttribute('x')), Number(rect.getAttribute('width'))]);
    this.paths = all(this.plot, 'path:not([transform])').filter(path => titleOf(path))
      .map(path => [path, cornersOf(path)]);
    this.events = all(this.plot, '[transform]').map(
      path => [path, ...path.getAttribute('transform').match(/[-\d.]+/g).map(Number)]);
    const clip = drawnElement('clipPath', {id: chart.id + '-clip'});
    clip.append(drawnElement('rect', {x: this.left, y: 0, width: this.right - this.left,
                                      height: chart.viewBox.baseVal.height}));
    chart.append(clip);
    this.plot.setAttribute('clip-path', `url(#${clip.id})`);
  }

  valueAt(x) { return this.from + (this.to - this.from) * (x - this.left) / (this.right - this.left); }
  at(value) { return this.left + (this.right - this.left) * (value - this.from) / (this.to - this.from); }
  // Of a position in the whole chart.
  moved(x) {
    return this.at(this.low + (this.high - this.low) * (x - this.left) / (this.right - this.left));
  }

  show(from, to) {
    const least = (this.high - this.low) * 1e-5;
    if (to - from >= this.high - this.low) [from, to] = [this.low, this.high];
    if (to - from > least) {
      const shift = Math.max(this.low - from, 0) - Math.max(to - this.high, 0);
      [this.from, this.to] = [from + shift, to + shift];
    }
    for (const [rect, x, width] of this.rects) {
      const begin = this.moved(x), end = this.moved(x + width);
      const isSeen = end >= this.left && this.right >= begin;
      rect.setAttribute('display', isSeen ? 'inline' : 'none');
      rect.setAttribute('x', begin.toFixed(2));
      rect.setAttribute('width', (end - begin).toFixed(2));
    }
    for (const [path, corners] of this.paths)
      path.setAttribute('d', corners.map(([x, y], i) =>
        `${i ? 'L' : 'M'}${this.moved(x).toFixed(2)} ${y}`).join(''));
    for (const [path, x, y] of this.events)
      path.setAttribute('transform', `translate(${this.moved(x).toFixed(2)} ${y})`);
    this.axis.replaceChildren();
    for (const tick of ticks(this.from, this.to, 8)) {
      const line = this.lineLike.cloneNode(), text = this.textLike.cloneNode();
      for (const name of ['x1', 'x2']) line.setAttribute(name, this.at(tick).toFixed(2));
      text.setAttribute('x', this.at(tick).toFixed(2));
      text.textContent = tick;
      this.axis.append(line, text);
    }
    say(`${this.from.toPrecision(4)} to ${this.to.toPrecision(4)} ${this.unit}`);
  }

  by(factor, share = 0.5) {
    const middle = this.from + (this.to - this.from) * share;
    const length = (this.to - this.from) * factor;
    this.show(middle - length * share, middle + length * (1 - share));
  }
  shift(share) {
    const way = (this.to - this.from) * share;
    this.show(this.from + way, this.to + way);
  }
  end() { this.show(this.low, this.high); }
}

// ---- Reading a chart.

const pointOf = (chart, event) =>
  new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());

// What lines have at a place across: charts of lines without dots.
function readLines(chart, zoom, x) {
  const [top, bottom, high, low, ...unit] = chart.dataset.up.split(' ');
  const valueOf = y => +low + (+high - +low) * (+bottom - y) / (+bottom - +top);
  const values = zoom.paths.map(([path]) => {
    const before = cornersOf(path).filter(corner => x >= corner[0]).at(-1);
    return before && `${titleOf(path)} ${valueOf(before[1]).toPrecision(4)} ${unit.join(' ')}`;
  });
  say(`${zoom.valueAt(x).toPrecision(4)} ${zoom.unit}: ${values.filter(Boolean).join('; ')}`);
}

// Cells of one value are one outline of boxes: "Mx yhLENGTH...".
class Cells {
  constructor(chart) {
    [this.left, this.top, this.width, this.height] = chart.dataset.cells.split(' ').map(Number);
    [this.rows, this.columns] = [chart.dataset.rows, chart.dataset.columns]
      .map(lines => lines.split('\n'));
    this.values = this.rows.map(() => []);
    for (const mark of marksOf(chart))
      for (const [, x, y, length] of mark.getAttribute('d').matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)/g)) {
        const {row, column} = this.at(+x + this.width / 2, +y + this.height / 2);
        for (let i = 0; i < Math.round(length / this.width); ++i)
          this.values[row][column + i] = titleOf(mark);
      }
    this.box = drawnElement('rect', {class: 'at', fill: 'none', display: 'none',
                                     width: this.width, height: this.height});
    chart.append(this.box);
  }

  at(x, y) {
    const place = (value, begin, size, many) =>
      clamp(0, Math.floor((value - begin) / size), many - 1);
    return {row: place(y, this.top, this.height, this.rows.length),
            column: place(x, this.left, this.width, this.columns.length)};
  }
  read({row, column}) {
    this.box.setAttribute('x', this.left + column * this.width);
    this.box.setAttribute('y', this.top + row * this.height);
    this.box.setAttribute('display', 'inline');
    say(`${this.rows[row]}, ${this.columns[column]}: ${this.values[row][column] ?? 'nothing'}`);
  }
  leave() { this.box.setAttribute('display', 'none'); }
}

function addCells(chart) {
  const cells = new Cells(chart);
  let at = null;
  const read = place => cells.read(at = place);
  const step = (down, across) => read(at === null ? {row: 0, column: 0} : {
    row: clamp(0, at.row + down, cells.rows.length - 1),
    column: clamp(0, at.column + across, cells.columns.length - 1)});
  chart.tabIndex = 0;
  chart.addEventListener('keydown', event => {
    const acts = {
      ArrowRight: () => step(0, 1), ArrowLeft: () => step(0, -1),
      ArrowDown: () => step(1, 0), ArrowUp: () => step(-1, 0),
      Home: () => step(0, -1e9), End: () => step(0, 1e9),
      Enter: () => at && highlight(nameOf(cells.rows[at.row])),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
  chart.addEventListener('focus', () =>
    say('Arrow keys read the cells, Enter highlights the name of a row.'));
  chart.addEventListener('blur', () => { cells.leave(); say(''); });
  chart.addEventListener('pointermove', event => {
    const {x, y} = pointOf(chart, event);
    read(cells.at(x, y));
  });
  chart.addEventListener('pointerleave', () => cells.leave());
}

function addReading(chart) {
  const zoom = chart.dataset.across ? new Zoom(chart) : null;
  const hasLines = Boolean(chart.dataset.up);
  const cursor = drawnElement('line', {class: 'cursor', display: 'none', y1: 0,
                                       y2: chart.viewBox.baseVal.height});
  chart.append(cursor);
  let marks = marksOf(chart), at = -1, place = null, drag = null;
  chart.tabIndex = 0;

  const seen = () => marks.filter(mark => mark.getAttribute('display') !== 'none' &&
                                  !mark.classList.contains('out'));
  function select(mark) {
    for (const one of marks) one.classList.toggle('at', one === mark);
    if (mark) say(titleOf(mark));
  }
  function moveCursor(x) {
    place = clamp(zoom.left, x, zoom.right);
    for (const name of ['x1', 'x2']) cursor.setAttribute(name, place);
    cursor.setAttribute('display', 'inline');
    readLines(chart, zoom, place);
  }
  function step(by) {
    if (hasLines) return moveCursor((place ?? zoom.left) + by * (zoom.right - zoom.left) / 100);
    const some = seen();
    if (!some.length) return;
    at = clamp(0, at + by, some.length - 1);
    select(some[at]);
  }

  chart.addEventListener('keydown', event => {
    const acts = {
      ArrowRight: () => event.shiftKey && zoom ? zoom.shift(0.1) : step(1),
      ArrowLeft: () => event.shiftKey && zoom ? zoom.shift(-0.1) : step(-1),
      Home: () => step(-1e9), End: () => step(1e9),
      Enter: () => seen()[at] && highlight(nameOf(titleOf(seen()[at]))),
      '+': () => zoom?.by(0.5), '-': () => zoom?.by(2), 0: () => zoom?.end(),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
  chart.addEventListener('focus', () => say(
    'Arrow keys read the chart' + (hasLines ? '' : ', Enter highlights a name') +
    (zoom ? ', + and - zoom, 0 shows all, shift and arrow keys move.' : '.')));
  chart.addEventListener('blur', () => { select(null); say(''); });
  chart.addEventListener('pointermove', event => {
    const {x} = pointOf(chart, event);
    if (drag !== null) return say(`${zoom.valueAt(drag).toPrecision(4)} to ` +
                                  `${zoom.valueAt(x).toPrecision(4)} ${zoom.unit}`);
    if (hasLines) return moveCursor(x);
    const mark = event.target.closest('rect, circle, path');
    if (marks.includes(mark)) say(titleOf(mark));
  });
  chart.addEventListener('pointerleave', () => { drag = null; });
  chart.addEventListener('pointerdown', event => { if (zoom) drag = pointOf(chart, event).x; });
  chart.addEventListener('pointerup', event => {
    const {x} = pointOf(chart, event), begin = drag;
    drag = null;
    if (begin !== null && Math.abs(x - begin) > 8) {
      const [low, high] = [begin, x].map(one => zoom.valueAt(clamp(zoom.left, one, zoom.right)))
        .sort((one, other) => one - other);
      return zoom.show(low, high);
    }
    const mark = event.target.closest('rect, circle, path');
    if (marks.includes(mark)) highlight(nameOf(titleOf(mark)));
  });

  if (!zoom) return;
  const tools = made('p', {class: 'tools'});
  tools.append(button('+', 'Zoom in', () => zoom.by(0.5)), button('\u2212', 'Zoom out', () => zoom.by(2)),
               button('\u2190', 'Earlier', () => zoom.shift(-0.25)),
               button('\u2192', 'Later', () => zoom.shift(0.25)),
               button('All', 'Show all of it', () => zoom.end()));
  chart.closest('figure').after(tools);
}

for (const chart of all(document, 'figure svg'))
  if (marksOf(chart).length) chart.dataset.cells ? addCells(chart) : addReading(chart);

document.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  if (lit !== null) highlight(lit);
  say('');
});

// ---- Paper: tables are open, also where the style cannot open them.

const opened = [];
addEventListener('beforeprint', () => {
  for (const table of all(document, 'details:not(.long):not([open])')) {
    table.open = true;
    opened.push(table);
  }
});
addEventListener('afterprint', () => {
  while (opened.length) opened.pop().open = false;
});

// ---- Light and dark.

const themes = ['automatic', 'light', 'dark'];
const theme = made('button', {type: 'button'}, 'Theme: automatic');
theme.addEventListener('click', () => {
  const next = themes[(themes.indexOf(document.documentElement.dataset.theme ?? themes[0]) + 1) % 3];
  document.documentElement.dataset.theme = next;
  theme.textContent = `Theme: ${next}`;
});
const place = made('p', {class: 'tools'});
place.append(theme);
document.querySelector('nav').before(place);
})();
