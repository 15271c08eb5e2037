// Research sessions: the list, and one of them as a timeline of steps with the sources of each.

import { byId, el, empty, forget, getJson, outside, outsideLink, pill, replace, show } from './dom.js';
import { ago, count, moment, plural, words } from './format.js';

const STEP_STATES = { done: null, failed: ['bad', 'search failed'], unanswered: ['warn', 'not answered'] };
const SOURCE_STATES = { read: ['good', 'read'], failed: ['bad', 'failed'], listed: ['off', 'found'] };
const SHOWN_SOURCES = 8;

let sessions = [];
let cursor = null;
let chosen = null;

export async function load() {
  const list = await getJson('api/sessions');
  sessions = list.sessions;
  cursor = list.cursor || null;
  showList();
  if (chosen) await read(chosen);
}

async function more() {
  const list = await getJson(`api/sessions?cursor=${encodeURIComponent(cursor)}`);
  const known = new Set(sessions.map((session) => session.sessionId));
  sessions = [...sessions, ...list.sessions.filter((session) => !known.has(session.sessionId))];
  cursor = list.cursor || null;
  showList();
}

function showList() {
  show(byId('session-list'), [sessions, cursor, chosen, Math.floor(Date.now() / 15000)], () => {
    if (!sessions.length) return empty('No session yet', 'sequential_search with a goal begins one.');
    const picks = el('ol', { class: 'picks' }, sessions.map((session) => el('li', {}, pick(session))));
    const button = cursor && el('button', { type: 'button', class: 'more', data: { key: 'more' }, on: { click: more } }, 'Show more');
    return [picks, button];
  });
}

function pick(session) {
  const attributes = { class: 'pick', href: `#/sessions/${encodeURIComponent(session.sessionId)}`, data: { key: session.sessionId } };
  if (session.sessionId === chosen) attributes['aria-current'] = 'true';
  return el('a', attributes,
    outside(session.goal, 'span', { class: 'pick-title clamp' }),
    el('span', { class: 'note pick-foot' }, el('span', {}, plural(session.steps, 'step', 'steps')),
      el('time', { datetime: session.lastUsed }, ago(session.lastUsed)), session.completed && 'complete'));
}

export async function open(id) {
  chosen = id;
  byId('view-sessions').classList.toggle('has-detail', Boolean(id));
  showList();
  if (id) {
    await read(id);
    return;
  }
  forget(byId('session'));
  replace(byId('session'), empty('No session chosen', 'Choose one to see its steps and sources.'));
}

async function read(id) {
  const place = byId('session');
  try {
    const session = await getJson(`api/sessions/${encodeURIComponent(id)}`);
    if (chosen === id) show(place, session, showSession);
  } catch (error) {
    if (chosen !== id) return;
    forget(place);
    replace(place, empty(error.status === 404 ? 'This session does not exist' : 'The session could not be read', error.message));
  }
}

function showSession(session) {
  const open = (session.gaps || []).filter((gap) => !gap.closedAt);
  return [
    el('div', { class: 'session-head' }, outside(session.goal, 'p', { class: 'goal' }),
      el('p', { class: 'note' }, `begun ${moment(session.created)} · ${plural(session.steps, 'step', 'steps')} · ${plural(session.sources.length, 'source', 'sources')}`,
        session.confidence === undefined ? '' : ` · confidence ${share(session.confidence)}`),
      session.completed ? pill('good', 'complete') : pill('off', 'open')),
    session.summary && el('section', { class: 'quiet' }, el('h3', {}, 'Known so far'), outside(session.summary, 'p')),
    open.length ? el('section', { class: 'quiet' }, el('h3', {}, 'Open gaps'), el('ul', {}, open.map((gap) => outside(gap.text, 'li')))) : null,
    patterns(session.errorPatterns || []),
    el('h3', { class: 'timeline-title' }, 'Timeline'),
    timeline(session),
  ];
}

function patterns(rows) {
  if (!rows.length) return null;
  return el('section', { class: 'quiet' }, el('h3', {}, 'What keeps failing'),
    el('ul', {}, rows.map((row) => el('li', {}, `${words(row.kind)}, ${count(row.count)} times. `, outside(row.suggestion)))));
}

// A source belongs to the last step that was taken before it was reached.
function timeline(session) {
  const steps = session.stepList || [];
  const groups = new Map(steps.map((step) => [step.number, []]));
  const before = [];
  for (const source of [...session.sources].sort((one, other) => one.at.localeCompare(other.at))) {
    const step = [...steps].reverse().find((it) => it.at <= source.at);
    (step ? groups.get(step.number) : before).push(source);
  }
  if (!steps.length && !before.length) return empty('No steps yet', 'A step of sequential_search appears here at once.');
  const entries = steps.map((step) => showStep(step, groups.get(step.number)));
  if (before.length) entries.unshift(el('li', { class: 'step' }, el('p', { class: 'note' }, 'Before the first step'), sources(before, 'before')));
  const rest = session.truncated && el('p', { class: 'note' }, `The first ${steps.length} of ${session.steps} steps.`);
  return [el('ol', { class: 'timeline' }, entries), rest];
}

function showStep(step, found) {
  const state = STEP_STATES[step.status];
  const facts = [
    step.branch && ['branch', step.branch], step.revises && ['revises step', step.revises],
    step.confidence !== undefined && ['confidence', share(step.confidence)],
    step.opened && ['opened', step.opened.join(', ')], step.closed && ['closed', step.closed.join(', ')],
  ].filter(Boolean);
  return el('li', { class: `step step-${step.status}` },
    el('p', { class: 'step-top' }, el('span', { class: 'step-number' }, `Step ${step.number}`),
      el('time', { datetime: step.at, class: 'note' }, moment(step.at)), state && pill(...state)),
    outside(step.text, 'p', { class: 'step-text' }),
    step.query && el('p', { class: 'query' }, el('span', { class: 'note' }, 'searched for '), outside(step.query, 'q')),
    step.reasoning && outside(step.reasoning, 'p', { class: 'note' }),
    step.error && el('p', { class: 'step-error' }, `${words(step.error.kind)}${step.error.reason ? `, ${words(step.error.reason)}` : ''}`),
    facts.length ? el('p', { class: 'note' }, facts.map(([name, text], index) => [index ? ' · ' : '', `${name} `, outside(text)])) : null,
    sources(found, step.number));
}

function sources(found, key) {
  if (!found.length) return null;
  const order = ['read', 'failed', 'listed'];
  const sorted = [...found].sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  const list = (rows) => el('ul', { class: 'sources' }, rows.map(showSource));
  const rest = sorted.slice(SHOWN_SOURCES);
  return [list(sorted.slice(0, SHOWN_SOURCES)), rest.length ? el('details', { data: { key: `sources-${key}` } },
    el('summary', {}, plural(rest.length, 'more source', 'more sources')), list(rest)) : null];
}

function showSource(source) {
  return el('li', {}, pill(...(SOURCE_STATES[source.state] || SOURCE_STATES.listed)),
    el('span', { class: 'source-text' }, outsideLink(source.url, source.title || source.url),
      el('span', { class: 'note' }, outside(host(source.url)), ` · ${words(source.via)}`, source.errorKind ? ` · ${words(source.errorKind)}` : '')));
}

function share(part) {
  return `${Math.round(part * 100)} %`;
}

function host(address) {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}
