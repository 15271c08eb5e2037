// A chart of stacked columns, drawn as SVG. The arrow keys walk through it, and the same numbers are
// in a table below.

import { el, svg, replace, table } from './dom.js';
import { KINDS, count, kindClass, plural, timeOfDay, words } from './format.js';

const HEIGHT = 220;
const MARGIN = { top: 12, right: 4, bottom: 26, left: 34 };

// Turns the history of the server into columns, those without anything included.
export function columns(history, now) {
  const { spanSeconds, spans, happened } = history;
  const newest = Math.floor(now / 1000 / spanSeconds) * spanSeconds;
  const byStart = new Map(happened.map((span) => [span.start, span]));
  return Array.from({ length: spans }, (_, index) => {
    const start = newest - (spans - 1 - index) * spanSeconds;
    const span = byStart.get(start);
    const kinds = new Map();
    for (const [kind, , number] of span ? span.faults : []) kinds.set(kind, (kinds.get(kind) || 0) + number);
    const total = [...kinds.values()].reduce((sum, number) => sum + number, 0);
    return { start: new Date(start * 1000), kinds, total, succeeded: span ? span.succeeded : 0 };
  });
}

export function kindTotals(all) {
  const totals = new Map();
  for (const column of all) {
    for (const [kind, number] of column.kinds) totals.set(kind, (totals.get(kind) || 0) + number);
  }
  return [...totals].sort((one, other) => other[1] - one[1] || KINDS.indexOf(one[0]) - KINDS.indexOf(other[0]));
}

export class Chart {
  constructor(place) {
    this.all = [];
    this.chosen = null;
    this.label = '';
    this.drawing = svg('svg', { class: 'chart', tabindex: 0, role: 'img' });
    this.readout = el('p', { class: 'readout', 'aria-live': 'polite' });
    this.legend = el('ul', { class: 'legend' });
    this.numbers = el('div');
    const details = el('details', { class: 'numbers', data: { key: 'numbers' } },
      el('summary', {}, 'Show the numbers as a table'), this.numbers);
    this.box = el('div', { class: 'chart-box' }, this.drawing);
    replace(place, this.readout, this.box, this.legend, details);
    this.drawing.addEventListener('keydown', (event) => this.walk(event));
    this.drawing.addEventListener('blur', () => this.choose(null));
    this.drawing.addEventListener('pointermove', (event) => this.point(event));
    this.drawing.addEventListener('pointerleave', () => this.choose(null));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  update(all, periodName) {
    this.all = all;
    this.periodName = periodName;
    this.draw();
    this.describe();
  }

  draw() {
    const width = Math.floor(this.box.clientWidth);
    if (!width || !this.all.length) return;
    const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
    const top = niceTop(Math.max(...this.all.map((column) => column.total)));
    const y = (value) => MARGIN.top + inner.height * (1 - value / top);
    this.step = inner.width / this.all.length;
    const drawing = this.drawing;
    drawing.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    drawing.setAttribute('width', width);
    drawing.setAttribute('height', HEIGHT);
    drawing.replaceChildren(
      ...lines(top, y, width), ...this.times(width), ...this.bars(y, inner.height), this.marker(inner.height));
  }

  bars(y, height) {
    const gap = this.step > 6 ? 2 : 1;
    const bars = [];
    this.all.forEach((column, index) => {
      let below = 0;
      const x = MARGIN.left + index * this.step + gap / 2;
      for (const kind of KINDS) {
        const number = column.kinds.get(kind);
        if (!number) continue;
        const high = y(below) - y(below + number);
        const y1 = y(below + number);
        below += number;
        const attributes = { x: x.toFixed(2), y: y1.toFixed(2), width: Math.max(1, this.step - gap).toFixed(2) };
        bars.push(svg('rect', { ...attributes, height: Math.max(1, high - 1).toFixed(2), class: kindClass(kind) }));
      }
    });
    if (!bars.length) {
      const middle = { x: MARGIN.left + (this.step * this.all.length) / 2, y: MARGIN.top + height * 0.64 };
      bars.push(svg('text', { ...middle, class: 'chart-empty', 'text-anchor': 'middle' }, 'No faults in this period'));
    }
    return bars;
  }

  // Round times of the day.
  times(width) {
    const span = (this.all[1].start - this.all[0].start) / 60000;
    const minutes = span < 2 ? (width < 480 ? 15 : 10) : (width < 480 ? 360 : 180);
    const labels = [];
    this.all.forEach((column, index) => {
      const x = MARGIN.left + (index + 0.5) * this.step;
      const time = column.start.getHours() * 60 + column.start.getMinutes();
      if (time % minutes || x > width - 16) return;
      labels.push(svg('text', { x, y: HEIGHT - 8, 'text-anchor': 'middle' }, timeOfDay(column.start)));
    });
    return labels;
  }

  marker(height) {
    if (this.chosen === null) return svg('g');
    const x = MARGIN.left + this.chosen * this.step;
    return svg('rect', { class: 'marker', x, y: MARGIN.top, width: this.step, height });
  }

  walk(event) {
    const last = this.all.length - 1;
    const at = this.chosen === null ? last : this.chosen;
    const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    if (event.key === 'Escape') {
      this.choose(null);
    } else if (event.key in moves) {
      event.preventDefault();
      this.choose(this.chosen === null ? last : Math.min(last, Math.max(0, moves[event.key])));
    }
  }

  point(event) {
    const x = event.clientX - this.drawing.getBoundingClientRect().left - MARGIN.left;
    const index = Math.floor(x / this.step);
    this.choose(index >= 0 && index < this.all.length ? index : null);
  }

  choose(index) {
    if (this.chosen === index) return;
    this.chosen = index;
    this.draw();
    this.tell();
  }

  tell() {
    const total = this.all.reduce((sum, column) => sum + column.total, 0);
    const column = this.chosen === null ? null : this.all[this.chosen];
    if (!column) {
      replace(this.readout, el('strong', {}, plural(total, 'fault', 'faults')), ` in the ${this.periodName}`);
      return;
    }
    const parts = [...column.kinds].map(([kind, number]) => `${words(kind)} ${count(number)}`);
    replace(this.readout, el('strong', {}, timeOfDay(column.start)), ` · ${plural(column.total, 'fault', 'faults')}`,
      parts.length ? `: ${parts.join(', ')}` : '', ` · ${count(column.succeeded)} calls answered`);
  }

  describe() {
    const totals = kindTotals(this.all);
    const total = totals.reduce((sum, [, number]) => sum + number, 0);
    const list = totals.map(([kind, number]) => `${words(kind)} ${number}`).join(', ');
    this.drawing.setAttribute('aria-label',
      `Faults in the ${this.periodName}: ${total}${list ? ` (${list})` : ''}. The arrow keys read one column after another.`);
    this.tell();
    replace(this.legend, totals.map(([kind, number]) => el('li', {},
      el('span', { class: `swatch ${kindClass(kind)}`, 'aria-hidden': 'true' }), words(kind),
      el('span', { class: 'legend-count' }, count(number)))));
    const rows = this.all.filter((column) => column.total || column.succeeded);
    const kinds = totals.map(([kind]) => ({
      title: words(kind), number: true, cell: (column) => count(column.kinds.get(kind)),
    }));
    replace(this.numbers, rows.length ? table('Faults by time', [
      { title: 'From', cell: (column) => timeOfDay(column.start) },
      { title: 'Answered', number: true, cell: (column) => count(column.succeeded) },
      { title: 'Faults', number: true, cell: (column) => count(column.total) },
      ...kinds,
    ], rows) : el('p', { class: 'note' }, 'No call has ended in this period.'));
  }
}

// A round number that is not below the largest column.
function niceTop(largest) {
  if (largest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 4, 5, 8, 10].map((factor) => factor * power).find((top) => top >= largest);
}

function lines(top, y, width) {
  const drawn = [];
  for (let part = 0; part <= 4; part += 1) {
    const value = (top * part) / 4;
    if (!Number.isInteger(value)) continue;
    const at = Math.round(y(value)) + 0.5;
    drawn.push(svg('line', { x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at, class: part ? 'grid' : 'axis' }));
    drawn.push(svg('text', { x: MARGIN.left - 8, y: at + 4, 'text-anchor': 'end' }, count(value)));
  }
  return drawn;
}
