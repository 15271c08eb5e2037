// Calls a tool and shows the request, the reply in each dialect, and where the time went.

import { byId, el, empty, getJson, outside, pill, postJson, replace } from './dom.js';
import { fields } from './form.js';
import { millis, words } from './format.js';

const FIRST_TRY = { web_search: { query: 'rust error handling' } };

let tools = [];
let form = null;
let running = null;

export async function start() {
  byId('tool').addEventListener('change', () => choose(byId('tool').value, {}));
  byId('input-mode').addEventListener('change', switchMode);
  byId('try-form').addEventListener('submit', submit);
  byId('try-form').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  });
  byId('stop').addEventListener('click', () => running && running.abort());
  replace(byId('reply'), empty('Nothing called yet', 'The reply appears here: as a client gets it, in every dialect, with its timing.'));
}

export async function load() {
  if (tools.length) return;
  tools = (await getJson('api/tools')).tools;
  replace(byId('tool'), tools.map((tool) => el('option', { value: tool.name }, `${tool.name} · ${tool.title || ''}`)));
  if (tools.length) choose(tools[0].name, FIRST_TRY[tools[0].name] || {});
  else replace(byId('arguments'), empty('No tool is offered', 'The chosen toolsets have none for you.'));
}

function choose(name, args) {
  const tool = tools.find((it) => it.name === name);
  form = { tool, ...fields(tool.inputSchema) };
  byId('tool-about').textContent = tool.description;
  const more = form.others.length ? el('details', { class: 'more-fields' },
    el('summary', {}, `More arguments (${form.others.length})`), form.others.map((it) => it.node)) : null;
  const none = form.all.length ? null : el('p', { class: 'note' }, 'This tool takes no arguments.');
  replace(byId('arguments'), none, form.needed.map((it) => it.node), more);
  write(args);
  byId('raw-json').value = JSON.stringify(args, null, 2);
}

function write(args) {
  for (const field of form.all) field.write(args[field.name]);
}

function isRaw() {
  return document.querySelector('input[name=mode]:checked').value === 'json';
}

function switchMode() {
  const raw = isRaw();
  const args = raw ? readForm() : readRaw();
  if (args === null && !raw) {
    // What cannot be parsed stays where it can be mended.
    document.querySelector('input[name=mode][value=json]').checked = true;
    return;
  }
  byId('raw').hidden = !raw;
  byId('arguments').hidden = raw;
  if (raw) byId('raw-json').value = JSON.stringify(args || {}, null, 2);
  else write(args);
}

function readForm() {
  const args = {};
  let first = null;
  for (const field of form.all) {
    field.problem.textContent = '';
    field.control.node.removeAttribute('aria-invalid');
    try {
      const value = field.read();
      if (value !== undefined) args[field.name] = value;
    } catch {
      field.problem.textContent = 'This is not JSON.';
      field.control.node.setAttribute('aria-invalid', 'true');
      first = first || field.control.node;
    }
  }
  if (first) first.focus();
  return first ? null : args;
}

function readRaw() {
  const problem = byId('raw-problem');
  problem.textContent = '';
  byId('raw-json').removeAttribute('aria-invalid');
  try {
    const text = byId('raw-json').value;
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    problem.textContent = `This is not JSON: ${error.message}`;
    byId('raw-json').setAttribute('aria-invalid', 'true');
    byId('raw-json').focus();
    return null;
  }
}

async function submit(event) {
  event.preventDefault();
  if (running || !form) return;
  const args = isRaw() ? readRaw() : readForm();
  if (args === null) return;
  const request = { method: 'tools/call', params: { name: form.tool.name, arguments: args } };
  running = new AbortController();
  setBusy(true);
  const began = performance.now();
  try {
    const trial = await postJson('api/call', { tool: form.tool.name, arguments: args }, running.signal);
    showTrial(request, trial, performance.now() - began);
  } catch (error) {
    const stopped = error.name === 'AbortError';
    replace(byId('reply'), empty(stopped ? 'Stopped' : 'The call did not reach the tool', stopped ? 'The server was told to give up.' : error.message));
  } finally {
    running = null;
    setBusy(false);
  }
}

function setBusy(busy) {
  byId('send').disabled = busy;
  byId('stop').hidden = !busy;
  byId('reply').setAttribute('aria-busy', String(busy));
  if (busy) replace(byId('reply'), el('p', { class: 'waiting' }, el('span', { class: 'dot', 'aria-hidden': 'true' }), 'Calling…'));
}

function showTrial(request, trial, roundTrip) {
  const { result } = trial;
  const id = result._meta && result._meta.requestId;
  const failed = Boolean(result.isError);
  const link = el('a', { href: `#/faults/${encodeURIComponent(id)}` }, 'its record');
  replace(byId('reply'),
    el('p', { class: 'outcome' }, failed ? pill('bad', 'failed') : pill('good', 'answered'), el('strong', {}, millis(trial.milliseconds)),
      el('code', { class: 'note' }, id), failed && link),
    tabs([
      ['Reply', () => (failed ? dialects(trial) : reply(result))],
      ['Timing', () => timing(trial, roundTrip)],
      ['Request', () => code(request, 'The request')],
    ]));
}

// A failure in each dialect. An answer is the same in all of them.
function dialects(trial) {
  const shown = el('div', { class: 'dialect' });
  const choice = (failure) => {
    const own = failure.dialect === trial.dialect;
    const input = el('input', { type: 'radio', name: 'dialect', value: failure.dialect, checked: own });
    input.addEventListener('change', () => replace(shown, reply(failure.result)));
    return el('label', {}, input, el('span', {}, failure.dialect));
  };
  replace(shown, reply(trial.result));
  return [
    el('div', { class: 'dialect-head' },
      el('fieldset', { class: 'segments' }, el('legend', { class: 'hidden' }, 'Dialect'), trial.failures.map(choice))),
    el('p', { class: 'note' }, 'Clients of this server get ', el('code', {}, trial.dialect), ' from this tool.'),
    shown,
  ];
}

// Tabs as the ARIA practices have them: one stop for the Tab key, arrows between them.
function tabs(panels) {
  const list = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Forms of the reply' });
  const panel = el('div', { class: 'panel', role: 'tabpanel', id: 'reply-panel', tabindex: 0 });
  const buttons = panels.map(([title], index) => el('button', { type: 'button', role: 'tab', id: `reply-tab-${index}`,
    'aria-controls': 'reply-panel', on: { click: () => select(index) } }, title));
  function select(chosen) {
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', `reply-tab-${chosen}`);
    replace(panel, panels[chosen][1]());
  }
  list.addEventListener('keydown', (event) => {
    const at = buttons.indexOf(document.activeElement);
    const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 };
    if (at < 0 || !(event.key in moves)) return;
    event.preventDefault();
    const next = (moves[event.key] + buttons.length) % buttons.length;
    select(next);
    buttons[next].focus();
  });
  list.append(...buttons);
  select(0);
  return [list, panel];
}

function reply(result) {
  const texts = (result.content || []).map((block) => outside(block.text, 'pre'));
  const structured = result.structuredContent;
  return [
    texts.length ? texts : el('p', { class: 'note' }, 'No text.'),
    structured === undefined ? null : el('details', { open: !texts.length },
      el('summary', {}, 'Structured content'), code(structured, 'Structured content')),
  ];
}

function code(value, label) {
  return el('pre', { 'aria-label': label }, JSON.stringify(value, null, 2));
}

function timing(trial, roundTrip) {
  const total = Math.max(trial.milliseconds, 1);
  const rows = [...trial.upstreams].sort((one, other) => one.afterMs - other.afterMs);
  const list = el('ol', { class: 'waterfall' }, rows.map((row) => {
    const line = el('span', { class: `wait ${row.kind ? 'bad' : 'good'}` });
    const left = Math.min(98, (row.afterMs / total) * 100);
    line.style.marginLeft = `${left}%`;
    line.style.width = `${Math.max(2, Math.min(100 - left, (row.tookMs / total) * 100))}%`;
    return el('li', {},
      el('span', { class: 'wait-top' }, el('span', {}, row.upstream, row.kind && el('span', { class: 'note' }, ` ${words(row.reason || row.kind)}`)),
        el('span', { class: 'number' }, `${millis(row.tookMs)} after ${millis(row.afterMs)}`)),
      el('span', { class: 'wait-track', 'aria-hidden': 'true' }, line));
  }));
  return [
    el('dl', { class: 'parts' },
      el('div', {}, el('dt', {}, 'In the server'), el('dd', { class: 'number' }, millis(trial.milliseconds))),
      el('div', {}, el('dt', {}, 'As this browser measured it'), el('dd', { class: 'number' }, millis(roundTrip)))),
    el('h3', {}, 'Upstreams asked'),
    rows.length ? list : el('p', { class: 'note' }, 'None: the answer came from this server alone.'),
  ];
}
