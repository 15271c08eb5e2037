// Builds the page from text alone: no string ever becomes markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') {
      for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    } else if (name === 'data') {
      for (const [key, text] of Object.entries(value)) node.dataset[key] = text;
    } else {
      node.setAttribute(name, value === true ? '' : String(value));
    }
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(node, child);
    else node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

// Words that came from outside. They are set apart, so that they cannot turn the direction of ours.
export function outside(text, tag = 'bdi', attributes = {}) {
  return el(tag, { dir: 'auto', ...attributes, class: `outside ${attributes.class || ''}`.trim() }, text);
}

// An address that came from outside: a link only if it leads to the web.
export function outsideLink(address, text) {
  let url = null;
  try {
    url = new URL(address);
  } catch {
    url = null;
  }
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) {
    const link = outside(text || address, 'a', { rel: 'noreferrer noopener nofollow', target: '_blank' });
    link.href = url.href;
    return link;
  }
  return outside(text || address);
}

// Shows new content, unless it is what is shown already: then a selection and the focus survive.
const shown = new WeakMap();

export function show(place, facts, build) {
  const signature = JSON.stringify(facts);
  if (shown.get(place) === signature) return;
  shown.set(place, signature);
  replace(place, build(facts));
}

export function forget(place) {
  shown.delete(place);
}

// Replaces content and puts the focus back on what has the same key.
export function replace(place, ...children) {
  const active = document.activeElement;
  const key = active && place.contains(active) ? active.dataset.key : undefined;
  const open = new Set();
  for (const details of place.querySelectorAll('details[open][data-key]')) open.add(details.dataset.key);
  place.replaceChildren();
  append(place, children);
  for (const details of place.querySelectorAll('details[data-key]')) {
    if (open.has(details.dataset.key)) details.open = true;
  }
  if (key === undefined) return;
  for (const node of place.querySelectorAll('[data-key]')) {
    if (node.dataset.key === key) {
      node.focus({ preventScroll: true });
      break;
    }
  }
}

export function empty(title, hint) {
  return el('div', { class: 'empty' }, el('p', { class: 'empty-title' }, title), hint && el('p', {}, hint));
}

// A table with a caption for screen readers. A column is {title, number?, cell(row)}.
export function table(caption, columns, rows, rowAttributes) {
  const style = (column) => [column.number && 'number', column.class].filter(Boolean).join(' ') || null;
  const head = columns.map((column) => el('th', { scope: 'col', class: style(column) }, column.title));
  const body = rows.map((row) => {
    const cells = columns.map((column, index) => {
      const attributes = { class: style(column), data: { title: column.title } };
      if (index === 0) return el('th', { scope: 'row', ...attributes }, column.cell(row));
      return el('td', attributes, column.cell(row));
    });
    return el('tr', rowAttributes ? rowAttributes(row) : {}, cells);
  });
  return el('div', { class: 'table-box' },
    el('table', {}, el('caption', { class: 'hidden' }, caption),
      el('thead', {}, el('tr', {}, head)), el('tbody', {}, body)));
}

// A coloured word with a sign of its own, so that the colour says nothing alone.
export function pill(state, text) {
  return el('span', { class: `pill pill-${state}` }, el('span', { class: 'sign', 'aria-hidden': 'true' }), text);
}

// A kind of fault in its colour, and its reason.
export function faultName(kind, reason, colour, tag = 'span') {
  return el(tag, { class: 'fault-name' }, el('span', { class: `swatch ${colour}`, 'aria-hidden': 'true' }),
    el('strong', {}, kind), reason && el('span', { class: 'reason' }, reason));
}

export async function getJson(path, signal) {
  const response = await fetch(path, { signal, headers: { Accept: 'application/json' }, cache: 'no-store' });
  return read(response);
}

export async function postJson(path, body, signal) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const response = await fetch(path, { method: 'POST', signal, headers, body: JSON.stringify(body) });
  return read(response);
}

async function read(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    body = null;
  }
  if (response.ok && body !== null) return body;
  const error = new Error((body && (body.detail || body.title)) || `The server answered ${response.status}.`);
  error.status = response.status;
  throw error;
}
