"""Drives a server with LangChain's adapters: each call is made through a LangChain tool, and what is told is the message
that the model would read."""

import asyncio

from langchain_mcp_adapters.client import MultiServerMCPClient

from driver import make_calls, read_plan, tell


def described(tool):
    schema = tool.args_schema
    return {"name": tool.name, "description": tool.description, "inputSchema": schema if isinstance(schema, dict) else schema.model_json_schema()}


def told(message):
    content = message.content
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    structured = (message.artifact or {}).get("structured_content") if isinstance(message.artifact, dict) else None
    return {"isError": message.status == "error", "content": content, "structuredContent": structured}


async def main():
    plan = read_plan()
    where = plan["where"]
    if "url" in where:
        connection = {"transport": "streamable_http", "url": where["url"]}
    else:
        connection = {"transport": "stdio", "command": where["command"][0], "args": where["command"][1:]}
    client = MultiServerMCPClient({"fingerpost": connection})
    tools = {tool.name: tool for tool in await client.get_tools()}
    tell(step="connected", version=None)
    tell(step="list", tools=[described(tool) for tool in tools.values()])

    async def call(name, arguments):
        return told(await tools[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": arguments}))

    await make_calls(plan, call)


asyncio.run(main())
