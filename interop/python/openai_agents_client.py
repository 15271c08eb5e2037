"""Drives a server with the OpenAI Agents SDK: each call is made through a function tool, and what is told is the text that
the model would read."""

import asyncio
import json

from agents import RunContextWrapper
from agents.exceptions import UserError
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.mcp.util import MCPUtil

from driver import Withheld, make_calls, plain, read_plan, tell


def server_at(where):
    if "url" in where:
        return MCPServerStreamableHttp(params={"url": where["url"]}, client_session_timeout_seconds=30)
    return MCPServerStdio(params={"command": where["command"][0], "args": where["command"][1:]}, client_session_timeout_seconds=30)


async def main():
    plan = read_plan()
    async with server_at(plan["where"]) as server:
        tell(step="connected", version=None)
        tools = {tool.name: tool for tool in await server.list_tools()}
        tell(step="list", tools=[plain(tool) for tool in tools.values()])

        async def call(name, arguments):
            try:
                result = plain(await server.call_tool(name, arguments))
            except UserError as error:
                raise Withheld(str(error)) from error
            shown = await MCPUtil.invoke_mcp_tool(server, tools[name], RunContextWrapper(None), json.dumps(arguments))
            content = shown if isinstance(shown, list) else [shown]
            return {**result, "content": [{"type": "text", "text": part["text"]} for part in content]}

        await make_calls(plan, call)


asyncio.run(main())
