// Chooses the view by the address, and keeps what is shown up to date.

import { byId, el, getJson, outside, replace } from './dom.js';
import * as faults from './faults.js';
import * as overview from './overview.js';
import * as sessions from './sessions.js';
import * as tries from './try.js';

const VIEWS = ['overview', 'faults', 'sessions', 'try'];
const TITLES = { overview: 'Overview', faults: 'Faults', sessions: 'Sessions', try: 'Try a tool' };
const RETRY_MS = 5000;
const LOST_MS = 2500;
// Other servers on the same store tell this one nothing, so lists are read again now and then.
const RELOAD_MS = 30000;

let view = null;
let source = null;
let revision = { calls: -1, records: -1 };
let retry = null;
let lost = null;

function route() {
  const parts = location.hash.startsWith('#/') ? location.hash.slice(2).split('/') : [];
  const name = VIEWS.includes(parts[0]) ? parts[0] : 'overview';
  let id = null;
  try {
    id = parts[1] ? decodeURIComponent(parts[1]) : null;
  } catch {
    id = null;
  }
  return { name, id };
}

async function follow(moveFocus) {
  // The skip link and its like do not change the view.
  if (location.hash && !location.hash.startsWith('#/') && view) return;
  const { name, id } = route();
  const changed = name !== view;
  view = name;
  for (const it of VIEWS) byId(`view-${it}`).hidden = it !== name;
  for (const link of document.querySelectorAll('[data-view]')) {
    if (link.dataset.view === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${TITLES[name]} · Fingerpost`;
  if (moveFocus && changed) {
    byId(`h-${name}`).focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
  await guarded(async () => {
    if (name === 'faults') {
      await faults.open(id);
      if (moveFocus && id) byId('h-record').focus();
      await faults.load();
    } else if (name === 'sessions') {
      await sessions.open(id);
      if (moveFocus && id) byId('h-session').focus();
      await sessions.load();
    } else if (name === 'try') {
      await tries.load();
    }
  });
}

async function guarded(work) {
  try {
    await work();
    replace(byId('trouble'));
  } catch (error) {
    if (error.status === 401) location.reload();
    else replace(byId('trouble'), el('p', { class: 'banner banner-bad' }, el('span', { class: 'sign', 'aria-hidden': 'true' }), error.message));
  }
}

function reload() {
  if (view === 'faults') guarded(faults.load);
  if (view === 'sessions') guarded(sessions.load);
}

function receive(facts) {
  overview.update(facts);
  const next = facts.revision;
  const before = revision;
  revision = next;
  if (before.calls < 0) return;
  if (view === 'faults' && next.records !== before.records) guarded(faults.load);
  if (view === 'sessions' && next.calls !== before.calls) guarded(sessions.load);
}

async function showViewer() {
  const viewer = await getJson('api/viewer');
  byId('who').hidden = !viewer.subject;
  byId('sign-out').hidden = !viewer.signedIn;
  document.querySelector('[data-view=sessions]').closest('li').hidden = !viewer.sessions;
  replace(byId('who-name'), outside(viewer.subject || ''), viewer.operator ? el('span', { class: 'note' }, ' operator') : null);
}

function live(state, text) {
  const sign = byId('live');
  if (sign.dataset.state === state) return;
  sign.dataset.state = state;
  byId('live-text').textContent = text;
}

// A hidden page needs no stream, and browsers allow only a few connections to one server.
function connect() {
  clearTimeout(retry);
  clearTimeout(lost);
  if (source) source.close();
  source = null;
  if (document.hidden) {
    live('paused', 'Paused');
    return;
  }
  source = new EventSource('api/events');
  source.addEventListener('overview', (event) => {
    clearTimeout(lost);
    live('live', 'Live');
    receive(JSON.parse(event.data));
  });
  source.addEventListener('error', () => {
    // A stream ends every minute and the next one begins at once.
    clearTimeout(lost);
    lost = setTimeout(() => live('lost', 'Reconnecting'), LOST_MS);
    if (source && source.readyState === EventSource.CLOSED) {
      retry = setTimeout(connect, RETRY_MS);
      guarded(async () => receive(await getJson('api/overview')));
    }
  });
}

overview.start();
faults.start();
tries.start();
window.addEventListener('hashchange', () => follow(true));
document.addEventListener('visibilitychange', connect);
window.addEventListener('pagehide', () => source && source.close());
window.addEventListener('pageshow', (event) => event.persisted && connect());
setInterval(() => !document.hidden && reload(), RELOAD_MS);
follow(false);
guarded(showViewer);
connect();
