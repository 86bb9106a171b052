"""Clients on Python's SDKs: each lists and uses what the server has declared, as a small program on that SDK does.

use.py SDK http URL
use.py SDK stdio PROGRAM ...
"""

import asyncio
import sys


def value_of(schema):
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return arguments_of(schema)
    return {"array": [], "integer": 2, "number": 2, "boolean": True, "null": None}.get(kind, "Ada")


def arguments_of(schema):
    properties = (schema or {}).get("properties", {})
    return {name: value_of(properties.get(name, {})) for name in (schema or {}).get("required", [])}


def content_of(schema):
    properties = (schema or {}).get("properties", {})
    required = (schema or {}).get("required", [])
    return {name: value_of(one) for name, one in properties.items() if name in required or "default" in one}


async def tried(what, work):
    try:
        return await work()
    except Exception as error:  # A step that fails is said, and the next one follows.
        print(f"{what}: {error!r}", file=sys.stderr)
        return None


async def pages(ask, member):
    items, cursor = [], None
    for _ in range(20):
        page = await ask(cursor)
        items += getattr(page, member)
        cursor = getattr(page, "next_cursor", getattr(page, "nextCursor", None))
        if cursor is None:
            return items
    return items


def answers(types):
    """What the official SDK, of either version, answers to a server that asks."""

    async def on_elicit(context, params):
        schema = getattr(params, "requested_schema", None) or getattr(params, "requestedSchema", {})
        return types.ElicitResult(action="accept", content=content_of(schema))

    async def on_sample(context, params):
        return types.CreateMessageResult(role="assistant", model="none", content=types.TextContent(type="text", text="Hello."))

    async def on_roots(context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///work", name="work")])

    return {"elicitation_callback": on_elicit, "sampling_callback": on_sample, "list_roots_callback": on_roots}


async def call_all(list_tools, call):
    for tool in await tried("tools/list", list_tools) or []:
        schema = getattr(tool, "input_schema", None) or getattr(tool, "inputSchema", {})
        await tried(tool.name, lambda: call(tool.name, arguments_of(schema)))


async def use_others(has, list_resources, read, list_prompts, get_prompt):
    """Resources and prompts, where the server has them."""
    if has and has.resources:
        for one in await tried("resources/list", list_resources) or []:
            await tried("resources/read", lambda: read(one.uri))
    if has and has.prompts:
        for one in await tried("prompts/list", list_prompts) or []:
            await tried("prompts/get", lambda: get_prompt(one.name, {argument.name: "Ada" for argument in one.arguments or []}))


async def official(target):
    from mcp import Client, StdioServerParameters, types
    from mcp.client.stdio import stdio_client

    where = target[1] if target[0] == "http" else stdio_client(StdioServerParameters(command=target[1], args=target[2:]))
    async with Client(where, **answers(types)) as client:
        paged = lambda ask, member: lambda: pages(lambda cursor: ask(cursor=cursor), member)
        await call_all(paged(client.list_tools, "tools"), client.call_tool)
        has = client.server_capabilities
        await use_others(has, paged(client.list_resources, "resources"), lambda uri: client.read_resource(str(uri)), paged(client.list_prompts, "prompts"), client.get_prompt)
        if has and has.resources:
            await tried("templates", paged(client.list_resource_templates, "resource_templates"))


async def official_v1(target):
    from mcp import ClientSession, StdioServerParameters, types
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    opened = streamable_http_client(target[1]) if target[0] == "http" else stdio_client(StdioServerParameters(command=target[1], args=target[2:]))
    async with opened as streams:
        async with ClientSession(streams[0], streams[1], **answers(types)) as client:
            has = (await client.initialize()).capabilities
            page = lambda cursor: types.PaginatedRequestParams(cursor=cursor) if cursor is not None else None
            paged = lambda ask, member: lambda: pages(lambda cursor: ask(params=page(cursor)), member)
            await call_all(paged(client.list_tools, "tools"), client.call_tool)
            await use_others(has, paged(client.list_resources, "resources"), client.read_resource, paged(client.list_prompts, "prompts"), client.get_prompt)


async def fastmcp(target):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async def on_elicit(message, response_type, params, context):
        return content_of(getattr(params, "requested_schema", None) or getattr(params, "requestedSchema", {}))

    async def on_sample(messages, params, context):
        return "Hello."

    where = target[1] if target[0] == "http" else StdioTransport(command=target[1], args=target[2:], keep_alive=False)
    async with Client(where, elicitation_handler=on_elicit, sampling_handler=on_sample, roots=["file:///work"]) as client:
        await call_all(client.list_tools, client.call_tool)
        result = getattr(client, "initialize_result", None)
        await use_others(result and result.capabilities, client.list_resources, client.read_resource, client.list_prompts, client.get_prompt)


async def langchain(target):
    from langchain_mcp_adapters.client import MultiServerMCPClient

    server = {"transport": "streamable_http", "url": target[1]} if target[0] == "http" else {"transport": "stdio", "command": target[1], "args": target[2:]}
    client = MultiServerMCPClient({"one": server})
    for tool in await tried("get_tools", client.get_tools) or []:
        schema = tool.args_schema if isinstance(tool.args_schema, dict) else tool.args_schema.model_json_schema()
        await tried(tool.name, lambda: tool.ainvoke(arguments_of(schema)))


async def mcp_use(target):
    from mcp_use import MCPClient

    server = {"url": target[1]} if target[0] == "http" else {"command": target[1], "args": target[2:]}
    client = MCPClient({"mcpServers": {"one": server}})
    session = await client.create_session("one")
    await call_all(session.list_tools, session.call_tool)
    await client.close_all_sessions()


async def pydantic_ai(target):
    from pydantic_ai import mcp

    if target[0] == "http":
        server = mcp.MCPServerStreamableHTTP(target[1])
    else:
        server = mcp.MCPServerStdio(target[1], target[2:])
    async with server:
        await call_all(server.list_tools, server.direct_call_tool)


async def openai_agents(target):
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

    if target[0] == "http":
        server = MCPServerStreamableHttp({"url": target[1]})
    else:
        server = MCPServerStdio({"command": target[1], "args": target[2:]})
    async with server:
        await call_all(server.list_tools, server.call_tool)


def smolagents(target):
    from mcp import StdioServerParameters
    from smolagents import ToolCollection

    server = {"url": target[1], "transport": "streamable-http"} if target[0] == "http" else StdioServerParameters(command=target[1], args=target[2:])
    with ToolCollection.from_mcp(server, trust_remote_code=True, structured_output=False) as collection:
        for tool in collection.tools:
            given = {name: value_of(one) for name, one in tool.inputs.items()}
            try:
                tool(**given)
            except Exception as error:
                print(f"{tool.name}: {error!r}", file=sys.stderr)


sdk, *words = sys.argv[1:]
if sdk == "smolagents":
    smolagents(words)
else:
    asyncio.run({"official": official, "official-v1": official_v1, "fastmcp": fastmcp, "langchain": langchain, "mcp-use": mcp_use,
                 "pydantic-ai": pydantic_ai, "openai-agents": openai_agents}[sdk](words))
