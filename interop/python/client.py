"""Drives a server with the official Python client. See ../README.md for what a driver is."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


def tell(**event):
    print(json.dumps(event), flush=True)


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def call(client, index, wanted):
    try:
        result = await client.call_tool(wanted["tool"], wanted["arguments"])
    except Exception as error:  # What a client throws is what this driver is here to tell.
        tell(step="call", index=index, threw=f"{type(error).__name__}: {error}")
    else:
        tell(step="call", index=index, result=plain(result))


async def main():
    plan = json.load(sys.stdin)
    where = plan["where"]
    target = where.get("url") or StdioServerParameters(command=where["command"][0], args=where["command"][1:])
    async with Client(target, mode=plan["mode"]) as client:
        tell(step="connected", version=client.protocol_version)
        tell(step="list", tools=[plain(tool) for tool in (await client.list_tools()).tools])
        for index, wanted in enumerate(plan["calls"]):
            await call(client, index, wanted)
    tell(step="closed")


asyncio.run(main())
