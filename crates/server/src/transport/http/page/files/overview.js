// The first view: what works now, how calls went, and who is slow.

import { Chart, columns, kindTotals } from './chart.js';
import { byId, el, empty, outside, pill, replace, show, table } from './dom.js';
import { bytes, count, duration, kindClass, millis, percent, plural, words } from './format.js';

const STATES = {
  ready: ['good', 'Ready'],
  works: ['good', 'Works'],
  paused: ['warn', 'Paused'],
  failing: ['bad', 'Failing'],
  fails: ['bad', 'Fails'],
  missing: ['warn', 'Missing'],
  off: ['off', 'Off'],
  unset: ['off', 'Not set up'],
};

const PARTS = [
  ['store', 'Store'],
  ['index', 'Index of read pages'],
  ['browser', 'Browser for script pages'],
  ['documentWorker', 'Document worker'],
  ['ocr', 'OCR'],
];

const OLD_SECONDS = 15 * 60;

let chart = null;
let last = null;

export function start() {
  chart = new Chart(byId('chart'));
  byId('period').addEventListener('change', () => last && update(last));
}

function period() {
  return document.querySelector('input[name=period]:checked').value;
}

export function update(overview) {
  last = overview;
  const name = period();
  const history = overview.history[name];
  const words = name === 'hour' ? 'last hour' : 'last day';
  const all = columns(history, overview.now);
  chart.update(all, words);
  const hour = kindTotals(columns(overview.history.hour, overview.now)).reduce((sum, [, number]) => sum + number, 0);
  show(byId('verdict'), judge(overview), verdict);
  show(byId('figures'), figures(overview, hour), (facts) => el('dl', { class: 'figures' }, facts.map(figure)));
  show(byId('reasons'), reasons(history), reasonTable);
  show(byId('slow'), [history.upstreams, words], slowest);
  show(byId('providers'), [overview.providers, history.upstreams], providers);
  show(byId('parts'), overview.components, parts);
  show(byId('tools'), overview.tools, tools);
  replace(byId('about'), `Fingerpost ${overview.version} · up ${duration(overview.uptimeSeconds)}`);
}

// A failure says little about now when it was long ago and nobody has asked since.
function state(provider) {
  return provider.state === 'failing' && provider.secondsAgo > OLD_SECONDS ? 'ready' : provider.state;
}

function judge(overview) {
  const broken = PARTS.filter(([key]) => !['browser', 'ocr'].includes(key) && ['fails', 'missing'].includes(overview.components[key].state));
  const usable = overview.providers.filter((it) => ['ready', 'paused', 'failing'].includes(it.state));
  const trouble = usable.filter((it) => state(it) !== 'ready').map((it) => it.id);
  return { broken: broken.map(([, title]) => title), trouble, usable: usable.length };
}

function verdict({ broken, trouble, usable }) {
  if (broken.length) return banner('bad', `${broken.join(' and ')} not working`, 'Calls that need it fail until it is repaired.');
  if (!usable) return banner('warn', 'No search provider is set up', 'Pages can be read; searching needs a provider.');
  if (!trouble.length) return banner('good', 'Everything works', `${plural(usable, 'search provider is', 'search providers are')} ready.`);
  const state = trouble.length * 2 >= usable ? 'bad' : 'warn';
  const rest = trouble.length === usable ? 'None is left to answer.' : `${usable - trouble.length} of ${usable} can answer.`;
  return banner(state, `${plural(trouble.length, 'search provider', 'search providers')} in trouble`, `${trouble.join(', ')}. ${rest}`);
}

function banner(state, title, text) {
  return el('div', { class: `banner banner-${state}` },
    el('span', { class: 'sign', 'aria-hidden': 'true' }),
    el('div', {}, el('p', { class: 'banner-title' }, title), el('p', {}, text)));
}

function figures(overview, faultsInHour) {
  const { calls } = overview;
  const ended = calls.succeeded + calls.failed;
  return [
    ['Calls', count(calls.total), `${count(calls.running)} running now`],
    ['Success rate', ended ? percent(calls.succeeded / ended) : '–', `${count(calls.failed)} failed`],
    ['Faults', count(faultsInHour), 'in the last hour'],
    ['Memory', bytes(overview.memoryBytes), uptime(overview.uptimeSeconds)],
  ];
}

// By the minute, so that the figures change only when something happened.
function uptime(seconds) {
  return seconds < 60 ? 'up less than a minute' : `up ${duration(seconds - (seconds % 60))}`;
}

function figure([title, value, note]) {
  return el('div', { class: 'figure' }, el('dt', {}, title), el('dd', { class: 'value' }, value), el('dd', { class: 'note' }, note));
}

function reasons(history) {
  const totals = new Map();
  for (const span of history.happened) {
    for (const [kind, reason, number] of span.faults) {
      const key = `${kind}/${reason}`;
      const row = totals.get(key) || { kind, reason, number: 0 };
      row.number += number;
      totals.set(key, row);
    }
  }
  return [...totals.values()].sort((one, other) => other.number - one.number);
}

function reasonTable(rows) {
  if (!rows.length) return empty('No faults', 'Nothing failed in this period.');
  const most = rows[0].number;
  const shown = rows.slice(0, 12);
  const rest = rows.slice(12).reduce((sum, row) => sum + row.number, 0);
  return [table('Faults by kind and reason', [
    { title: 'Reason', cell: (row) => [el('span', { class: `swatch ${kindClass(row.kind)}`, 'aria-hidden': 'true' }),
      el('span', { class: 'two' }, words(row.reason || row.kind), row.reason && el('span', { class: 'note' }, words(row.kind)))] },
    { title: 'Faults', number: true, cell: (row) => count(row.number) },
    { title: 'Share', class: 'bar-cell', cell: (row) => bar(row.number / most, kindClass(row.kind)) },
  ], shown), rest ? el('p', { class: 'note' }, `${count(rest)} more of other reasons.`) : null];
}

// A bar beside its number; the number is what is read aloud.
function bar(share, style) {
  const fill = el('span', { class: `bar-fill ${style}` });
  fill.style.width = `${Math.max(2, Math.round(share * 100))}%`;
  return el('span', { class: 'bar', 'aria-hidden': 'true' }, fill);
}

function slowest([upstreams, periodName]) {
  const rows = upstreams.filter((row) => row.p95Ms !== null).sort((one, other) => other.p95Ms - one.p95Ms).slice(0, 10);
  if (!rows.length) return empty('Nobody was asked', `No provider and no page in the ${periodName}.`);
  const most = rows[0].p95Ms || 1;
  return table('Slowest upstreams', [
    { title: 'Upstream', cell: (row) => row.id },
    { title: 'Asked', number: true, cell: (row) => count(row.count) },
    { title: 'Median', number: true, class: 'spare', cell: (row) => millis(row.medianMs) },
    { title: '95 %', number: true, cell: (row) => millis(row.p95Ms) },
    { title: 'Time', class: 'bar-cell', cell: (row) => bar(row.p95Ms / most, 'accent') },
  ], rows);
}

function providers([rows, upstreams]) {
  const answers = new Map(upstreams.map((row) => [row.id, row]));
  const others = rows.filter((row) => row.state === 'unset' || row.state === 'off');
  const usable = rows.filter((row) => !others.includes(row));
  const busy = usable.filter((row) => state(row) !== 'ready' || answers.has(row.id));
  const quiet = usable.filter((row) => !busy.includes(row));
  byId('providers-note').textContent = others.length ? `${usable.length} of ${rows.length} set up` : `${usable.length} set up`;
  return [
    usable.length ? null : empty('No provider is set up', 'fingerpost doctor says what each one needs.'),
    busy.length ? providerTable(busy, answers) : null,
    quiet.length ? el('div', { class: 'quiet-providers' },
      el('p', { class: 'note' }, 'Ready, not asked in this period'),
      el('ul', { class: 'chips' }, quiet.map((row) => el('li', { title: row.about }, row.id)))) : null,
    others.length ? el('details', { data: { key: 'others' } },
      el('summary', {}, `${plural(others.length, 'provider', 'providers')} not set up`),
      table('Providers that are not set up', [
        { title: 'Provider', cell: (row) => row.id },
        { title: 'What it is', cell: (row) => row.about },
        { title: 'Needs', cell: (row) => (row.setting ? el('code', {}, row.setting) : 'turned off') },
      ], others)) : null,
  ];
}

function providerTable(rows, answers) {
  const order = ['failing', 'paused', 'ready'];
  const sorted = [...rows].sort((one, other) => order.indexOf(state(one)) - order.indexOf(state(other)));
  const answer = (row) => answers.get(row.id) || {};
  const box = table('Providers that were asked or are in trouble', [
    { title: 'Provider', cell: (row) => el('span', { title: row.about }, row.id) },
    { title: 'State', class: 'state', cell: (row) => pill(...STATES[state(row)]) },
    { title: 'Why', class: 'why', cell: why },
    { title: 'Asked', number: true, cell: (row) => count(answer(row).count) },
    { title: 'Failed', number: true, cell: (row) => count(answer(row).failed) },
    { title: 'Median', number: true, cell: (row) => millis(answer(row).medianMs) },
    { title: '95 %', number: true, cell: (row) => millis(answer(row).p95Ms) },
  ], sorted);
  box.classList.add('stacks');
  return box;
}

function why(row) {
  const reason = words(row.reason || row.kind);
  if (row.state === 'paused') {
    const wait = row.retryAfterSeconds === null ? '' : `, asked again in ${duration(row.retryAfterSeconds)}`;
    return `breaker open: ${reason}${wait}`;
  }
  if (row.state === 'failing') return `last answer: ${reason}, ${duration(row.secondsAgo)} ago`;
  return null;
}

function parts(components) {
  return el('dl', { class: 'parts' }, PARTS.map(([key, title]) => {
    const part = components[key];
    const documents = part.documents === undefined ? null : plural(part.documents, 'page', 'pages');
    const note = [part.kind, documents].filter(Boolean).join(', ');
    return el('div', {}, el('dt', {}, title, note && el('span', { class: 'note' }, note)),
      el('dd', {}, pill(...STATES[part.state])), part.note && el('dd', { class: 'part-note' }, outside(part.note)));
  }));
}

function tools(rows) {
  if (!rows.length) return empty('No tool was called yet', 'Try one, or connect a client to /mcp.');
  const sorted = [...rows].sort((one, other) => other.count - one.count);
  return table('Calls by tool', [
    { title: 'Tool', cell: (row) => el('code', {}, row.name) },
    { title: 'Calls', number: true, cell: (row) => count(row.count) },
    { title: 'Failed', number: true, cell: (row) => count(row.failed) },
    { title: 'Withdrawn', number: true, class: 'spare', cell: (row) => count(row.cancelled) },
    { title: 'Median', number: true, class: 'spare', cell: (row) => millis(row.medianMs) },
    { title: '95 %', number: true, cell: (row) => millis(row.p95Ms) },
  ], sorted);
}
