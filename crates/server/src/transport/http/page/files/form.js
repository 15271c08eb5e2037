// A form for the arguments of a tool, made from its JSON schema.

import { el } from './dom.js';

const LONG = new Set(['code', 'content', 'source', 'text', 'html', 'step', 'summary', 'reasoning', 'searchStep']);

// One field: its element, and how to read and write its value. An empty field is no argument.
export function fields(schema) {
  const required = new Set(schema.required || []);
  const all = Object.entries(schema.properties || {}).map(([name, property]) => field(name, property, required.has(name)));
  return { all, needed: all.filter((it) => it.isFirst), others: all.filter((it) => !it.isFirst) };
}

function field(name, property, isRequired) {
  const id = `argument-${name}`;
  const control = makeControl(id, name, property);
  const hint = [property.description, limits(property)].filter(Boolean).join('. ');
  const problem = el('p', { class: 'problem', id: `${id}-problem` });
  if (isRequired) control.node.setAttribute('aria-required', 'true');
  control.node.setAttribute('aria-describedby', `${id}-hint ${id}-problem`);
  const node = el('div', { class: 'field' },
    el('label', { for: id }, el('code', {}, name), isRequired && el('span', { class: 'needed' }, 'needed')),
    control.node, el('p', { class: 'hint', id: `${id}-hint` }, hint), problem);
  const isFirst = isRequired || ['query', 'url', 'urls', 'goal', 'sessionId', 'searchStep'].includes(name);
  return { name, node, isFirst, control, problem, read: control.read, write: control.write };
}

function limits(property) {
  if (property.type === 'array') return 'One per line';
  const parts = [];
  if (property.minimum !== undefined && property.maximum !== undefined) parts.push(`${property.minimum} to ${property.maximum}`);
  else if (property.minimum !== undefined) parts.push(`at least ${property.minimum}`);
  if (property.default !== undefined) parts.push(`default ${JSON.stringify(property.default)}`);
  return parts.join(', ');
}

function makeControl(id, name, property) {
  const usual = { id, name, autocomplete: 'off', spellcheck: 'false' };
  if (property.enum) return choice(usual, property.enum.map((value) => [value, value]), (text) => text);
  if (property.type === 'boolean') return choice(usual, [['true', 'yes'], ['false', 'no']], (text) => text === 'true');
  if (property.type === 'integer' || property.type === 'number') return numeric(usual, property);
  if (property.type === 'array') return lines(usual, property);
  if (property.type === 'object') return json(usual);
  if (LONG.has(name)) return plain(el('textarea', { ...usual, rows: 4 }));
  const type = property.format === 'date' ? { placeholder: '2026-01-31' } : {};
  return plain(el('input', { ...usual, ...type, type: property.format === 'uri' ? 'url' : 'text', autocapitalize: 'off' }));
}

function plain(node) {
  return {
    node,
    read: () => (node.value === '' ? undefined : node.value),
    write: (value) => { node.value = value === undefined ? '' : String(value); },
  };
}

function choice(usual, options, parse) {
  const node = el('select', { id: usual.id, name: usual.name }, el('option', { value: '' }, '(not set)'),
    options.map(([value, text]) => el('option', { value }, text)));
  return {
    node,
    read: () => (node.value === '' ? undefined : parse(node.value)),
    write: (value) => { node.value = value === undefined ? '' : String(value); },
  };
}

function numeric(usual, property) {
  const node = el('input', { ...usual, type: 'number', step: property.type === 'integer' ? 1 : 'any',
    min: property.minimum, max: property.maximum });
  // What is no number is sent as it stands: the server says best what is wrong with it.
  return {
    node,
    read: () => (node.value === '' ? undefined : Number(node.value)),
    write: (value) => { node.value = value === undefined ? '' : String(value); },
  };
}

function lines(usual, property) {
  const node = el('textarea', { ...usual, rows: 3 });
  const isNumber = property.items && (property.items.type === 'integer' || property.items.type === 'number');
  return {
    node,
    read: () => {
      const texts = node.value.split('\n').map((text) => text.trim()).filter(Boolean);
      if (!texts.length) return undefined;
      return texts.map((text) => (isNumber ? Number(text) : text));
    },
    write: (value) => { node.value = Array.isArray(value) ? value.join('\n') : ''; },
  };
}

function json(usual) {
  const node = el('textarea', { ...usual, rows: 4, placeholder: '{}' });
  return {
    node,
    read: () => (node.value.trim() === '' ? undefined : JSON.parse(node.value)),
    write: (value) => { node.value = value === undefined ? '' : JSON.stringify(value, null, 2); },
  };
}
