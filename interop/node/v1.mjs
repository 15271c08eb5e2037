// The TypeScript SDK, version 1: still the most deployed client.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { drive, readPlan } from './driver.mjs';

const plan = await readPlan();
const { url, command } = plan.where;
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command: command[0], args: command.slice(1) });
const client = new Client({ name: 'fingerpost-interop', version: '1.0.0' });
await client.connect(transport);
await drive(client, transport.protocolVersion ?? null, plan);
