"""Drives a server with FastMCP's client, as a program uses it: a failure is an exception with its text."""

import asyncio

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

from driver import make_calls, plain, read_plan, tell


async def main():
    plan = read_plan()
    where = plan["where"]
    target = where.get("url") or StdioTransport(command=where["command"][0], args=where["command"][1:])
    async with Client(target) as client:
        tell(step="connected", version=None)
        tell(step="list", tools=[plain(tool) for tool in await client.list_tools()])

        async def call(tool, arguments):
            try:
                result = await client.call_tool(tool, arguments)
            except ToolError as error:
                return {"isError": True, "content": [{"type": "text", "text": str(error)}]}
            content = [plain(block) for block in result.content]
            return {"isError": False, "content": content, "structuredContent": result.structured_content}

        await make_calls(plan, call)


asyncio.run(main())
