"""Drives a server with the official Python client. See ../README.md for what a driver is."""

import asyncio

from mcp import Client, StdioServerParameters

from driver import make_calls, plain, read_plan, tell


async def main():
    plan = read_plan()
    where = plan["where"]
    target = where.get("url") or StdioServerParameters(command=where["command"][0], args=where["command"][1:])
    async with Client(target, mode=plan["mode"]) as client:
        tell(step="connected", version=client.protocol_version)
        tell(step="list", tools=[plain(tool) for tool in (await client.list_tools()).tools])

        async def call(tool, arguments):
            return plain(await client.call_tool(tool, arguments))

        await make_calls(plan, call)


asyncio.run(main())
