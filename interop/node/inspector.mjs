// The inspector's command line: one process for each request, as a person would use it.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readPlan, tell } from './driver.mjs';

const program = fileURLToPath(new URL('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));
const plan = await readPlan();
const target = plan.where.url ? [plan.where.url] : plan.where.command;

function ask(...words) {
  const common = ['--protocol-era', plan.mode, '--format', 'json'];
  return spawnSync(process.execPath, [program, '--cli', ...target, ...words, ...common], { encoding: 'utf8', timeout: 30_000 });
}

function told(run) {
  try {
    return { result: JSON.parse(run.stdout).result };
  } catch {
    return { threw: run.stderr.trim() };
  }
}

const listed = ask('--method', 'tools/list', '--strict');
tell({ step: 'connected', version: null });
tell({ step: 'list', tools: told(listed).result?.tools, threw: told(listed).threw });
tell({ step: 'strict', code: listed.status, report: listed.stderr.trim() });
for (const [index, wanted] of plan.calls.entries()) {
  const call = ['--method', 'tools/call', '--tool-name', wanted.tool, '--tool-args-json', JSON.stringify(wanted.arguments)];
  tell({ step: 'call', index, ...told(ask(...call)) });
}
tell({ step: 'closed' });
