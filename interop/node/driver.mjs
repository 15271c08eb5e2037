// What the drivers of the JavaScript clients share. See ../README.md for what a driver is.

export function tell(event) {
  process.stdout.write(JSON.stringify(event) + '\n');
}

export async function readPlan() {
  const parts = [];
  for await (const part of process.stdin) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

/** Lists and calls through a connected client of either SDK. */
export async function drive(client, version, plan) {
  tell({ step: 'connected', version });
  tell({ step: 'list', tools: (await client.listTools()).tools });
  for (const [index, wanted] of plan.calls.entries()) {
    try {
      tell({ step: 'call', index, result: await client.callTool({ name: wanted.tool, arguments: wanted.arguments }) });
    } catch (error) {
      // What a client throws is what a driver is here to tell.
      tell({ step: 'call', index, threw: String(error) });
    }
  }
  await client.close();
  tell({ step: 'closed' });
}
