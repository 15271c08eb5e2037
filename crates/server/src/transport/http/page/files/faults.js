// Failed calls, and the operator's record behind each.

import { byId, el, empty, faultName, forget, getJson, outside, pill, replace, show } from './dom.js';
import { KINDS, ago, kindClass, moment, words } from './format.js';

// The order in which people ask: what, then where, then what to do.
const FIELDS = [
  ['message', 'What happened'], ['kind', 'Kind'], ['reason', 'Reason'], ['detail', 'Facts'], ['tool', 'Tool'],
  ['provider', 'Provider'], ['tier', 'Tier'], ['host', 'Host'], ['status', 'HTTP status'], ['phase', 'Phase'],
  ['origin', 'Origin'], ['retryable', 'May pass'], ['retryAfterSeconds', 'Wait in seconds'],
  ['suggestedAction', 'Suggested action'], ['timestamp', 'Time'], ['requestId', 'Request id'], ['eventId', 'Event id'],
];

let faults = [];
let note = null;
let chosen = null;

export function start() {
  const select = byId('fault-kind');
  for (const kind of KINDS) select.append(el('option', { value: kind }, words(kind)));
  select.addEventListener('change', showList);
  byId('fault-lookup').addEventListener('submit', (event) => {
    event.preventDefault();
    const id = byId('fault-id').value.trim();
    if (id) location.hash = `#/faults/${encodeURIComponent(id)}`;
  });
}

export async function load() {
  const list = await getJson('api/faults');
  faults = list.faults;
  note = list.note || null;
  showList();
}

function showList() {
  const kind = byId('fault-kind').value;
  const rows = faults.filter((fault) => !kind || fault.kind === kind);
  show(byId('fault-list'), [rows, note, chosen, Math.floor(Date.now() / 15000)], list);
}

function list([rows]) {
  if (note) return empty('Records are not kept here', note);
  if (!faults.length) return empty('No call has failed', 'A failed call appears here within a second.');
  if (!rows.length) return empty('None of this kind', 'Choose another kind to see the other faults.');
  return el('ol', { class: 'picks' }, rows.map((fault) => el('li', {}, pick(fault))));
}

function pick(fault) {
  const place = fault.host || fault.provider || fault.tier || '';
  const attributes = { class: 'pick', href: `#/faults/${encodeURIComponent(fault.requestId)}`, data: { key: fault.requestId } };
  if (fault.requestId === chosen) attributes['aria-current'] = 'true';
  return el('a', attributes,
    el('span', { class: 'pick-top' },
      faultName(words(fault.kind), words(fault.reason), kindClass(fault.kind)),
      el('time', { datetime: fault.timestamp, class: 'note' }, ago(fault.timestamp))),
    outside(fault.message, 'span', { class: 'pick-text' }),
    el('span', { class: 'note pick-foot' }, el('span', {}, fault.tool), place && outside(place), fault.eventId && 'recorded as an event'));
}

export async function open(id) {
  chosen = id;
  byId('view-faults').classList.toggle('has-detail', Boolean(id));
  byId('fault-id').value = id || '';
  showList();
  const place = byId('fault-record');
  if (!id) {
    forget(place);
    replace(place, empty('No fault chosen', 'Choose one from the list, or look up the id that a reply carried.'));
    return;
  }
  try {
    const record = await getJson(`api/faults/${encodeURIComponent(id)}`);
    if (chosen === id) show(place, record, showRecord);
  } catch (error) {
    if (chosen !== id) return;
    forget(place);
    replace(place, error.status === 404
      ? empty('No record with this id', 'Records are kept for 90 days, and a user sees their own only.')
      : empty('The record could not be read', error.message));
  }
}

function showRecord(record) {
  const known = new Set([...FIELDS.map(([name]) => name), 'upstream', 'upstreamTexts', 'upstreamTextsShownBy']);
  const fields = FIELDS.filter(([name]) => record[name] !== undefined && record[name] !== null);
  const others = Object.keys(record).filter((name) => !known.has(name));
  const rows = [...fields, ...others.map((name) => [name, words(name)])];
  return [
    el('p', { class: 'record-top' }, faultName(words(record.kind), words(record.reason), kindClass(record.kind)),
      record.retryable ? pill('warn', 'may pass') : pill('off', 'will not pass by itself')),
    el('dl', { class: 'record' }, rows.map(([name, title]) =>
      el('div', {}, el('dt', {}, title), el('dd', { class: isCode(name) ? 'code' : null }, value(name, record[name]))))),
    upstream(record),
    el('details', { data: { key: 'raw' } }, el('summary', {}, 'The record as JSON'),
      el('pre', { tabindex: 0, 'aria-label': 'The record as JSON' }, JSON.stringify(record, null, 2))),
  ];
}

function isCode(name) {
  return ['kind', 'reason', 'suggestedAction', 'requestId', 'eventId', 'tool', 'host'].includes(name);
}

function value(name, content) {
  if (name === 'timestamp') return el('time', { datetime: content }, moment(content));
  if (name === 'retryable') return content ? 'yes' : 'no';
  return outside(typeof content === 'object' ? JSON.stringify(content) : content);
}

function upstream(record) {
  if (Array.isArray(record.upstream)) {
    return el('section', { class: 'upstream', 'aria-labelledby': 'h-upstream' },
      el('h3', { id: 'h-upstream' }, 'What the other side said'),
      el('p', { class: 'note' }, 'Words from outside, masked. No agent sees them.'),
      record.upstream.map((text) => outside(text, 'pre', { tabindex: 0 })));
  }
  if (record.upstreamTexts) {
    return el('p', { class: 'note' }, `The operator's record also has ${record.upstreamTexts} texts of the other side.`);
  }
  return null;
}
