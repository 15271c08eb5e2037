// The TypeScript client, version 2: knows both eras.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive, readPlan } from './driver.mjs';

const plan = await readPlan();
const { url, command } = plan.where;
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command: command[0], args: command.slice(1) });
const client = new Client({ name: 'fingerpost-interop', version: '1.0.0' }, { versionNegotiation: { mode: plan.mode } });
await client.connect(transport);
await drive(client, client.getNegotiatedProtocolVersion() ?? null, plan);
