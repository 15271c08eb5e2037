// Numbers, times and names as people read them.

const whole = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

// In this order a kind keeps its colour, wherever it is shown.
export const KINDS = ['upstream_unavailable', 'network', 'rate_limited', 'blocked', 'not_found', 'validation',
  'auth_required', 'content_empty', 'config', 'browser_unavailable', 'session_not_found'];

export function kindClass(kind) {
  const index = KINDS.indexOf(kind);
  return `kind-${index < 0 ? 'other' : index}`;
}

export function words(name) {
  return String(name || '').replaceAll('_', ' ');
}

export function count(number) {
  return whole.format(number || 0);
}

export function plural(number, one, several) {
  return `${count(number)} ${number === 1 ? one : several}`;
}

export function percent(share) {
  const value = share * 100;
  return `${value === 100 || value === 0 ? value.toFixed(0) : value.toFixed(1)} %`;
}

export function millis(value) {
  if (value === null || value === undefined) return '–';
  if (value < 1) return '< 1 ms';
  if (value < 1000) return `${Math.round(value)} ms`;
  return `${(value / 1000).toFixed(value < 10000 ? 2 : 1)} s`;
}

export function bytes(value) {
  if (!value) return '–';
  return `${(value / 1048576).toFixed(value < 10485760 ? 1 : 0)} MB`;
}

export function duration(total) {
  if (total === null || total === undefined) return '–';
  const parts = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  const first = parts.findIndex(([, size]) => total >= size);
  if (first < 0) return '0 s';
  const [unit, size] = parts[first];
  const rest = parts[first + 1] && Math.floor((total % size) / parts[first + 1][1]);
  const head = `${Math.floor(total / size)} ${unit}`;
  return rest ? `${head} ${rest} ${parts[first + 1][0]}` : head;
}

export function timeOfDay(date) {
  return clock.format(date);
}

export function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return '–';
  const time = seconds.format(date);
  return date.toDateString() === new Date().toDateString() ? time : `${day.format(date)}, ${time}`;
}

export function ago(text) {
  const date = new Date(text);
  const past = Math.max(0, Math.round((Date.now() - date.getTime()) / 1000));
  if (Number.isNaN(past)) return '–';
  if (past < 5) return 'just now';
  if (past < 60) return `${past} s ago`;
  if (past < 3600) return `${Math.floor(past / 60)} min ago`;
  if (past < 86400) return `${Math.floor(past / 3600)} h ago`;
  return plural(Math.floor(past / 86400), 'day ago', 'days ago');
}
