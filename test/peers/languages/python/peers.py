"""The official Python SDK as a peer, with what both sides of the protocol have.

peers.py serve stdio | http            a server; http says its port on stdout
peers.py call REVISION URL             a client over HTTP; prints what it saw, as JSON
peers.py call REVISION -- COMMAND ...  a client over standard streams
"""

import asyncio
import json
import os
import socket
import sys
import threading

from pydantic import BaseModel


class Name(BaseModel):
    name: str


class Total(BaseModel):
    sum: float


def new_server():
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server = MCPServer("python-sdk", log_level="ERROR")

    @server.tool()
    def add(a: float, b: float) -> Total:
        return Total(sum=a + b)

    @server.tool()
    def fail() -> str:
        raise ToolError("out of flour")

    @server.tool()
    async def steps(ctx: Context) -> str:
        for i in range(1, 4):
            await ctx.report_progress(i, 3)
        return "done"

    @server.tool()
    async def ask(ctx: Context) -> str:
        answer = await ctx.elicit("Your name?", schema=Name)
        return f"{answer.action} {answer.data.name}"

    @server.tool()
    async def wait() -> str:
        await asyncio.sleep(30)
        return "waited"

    @server.resource("trips://all")
    def all_trips() -> str:
        return "text of trips://all"

    @server.resource("trips://city/{name}")
    def city(name: str) -> str:
        return f"text of trips://city/{name}"

    @server.prompt()
    def plan(city: str) -> str:
        return f"Plan {city}"

    return server


def serve(kind):
    server = new_server()
    if kind == "stdio":
        server.run("stdio")
        return
    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    print("port", listener.getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    app = server.streamable_http_app(streamable_http_path="/")
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])


async def call(revision, target):
    from mcp import Client, StdioServerParameters, types
    from mcp.client.stdio import stdio_client

    progress = []

    async def on_progress(done, total, message):
        progress.append(done)

    async def on_elicit(context, params):
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def on_sample(context, params):
        return types.CreateMessageResult(role="assistant", model="none", content=types.TextContent(type="text", text="42"))

    async def on_roots(context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///work", name="work")])

    where = stdio_client(StdioServerParameters(command=target[1], args=target[2:])) if target[0] == "--" else target[0]
    async with Client(where, mode=revision if revision >= "2026" else "legacy", elicitation_callback=on_elicit, sampling_callback=on_sample, list_roots_callback=on_roots) as client:
        text = lambda result: result.content[0].text
        saw = {"revision": client.protocol_version, "server": client.server_info and client.server_info.name}
        saw["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        saw["add"] = (await client.call_tool("add", {"a": 1, "b": 2})).structured_content
        failed = await client.call_tool("fail", {})
        saw["fail"] = [failed.is_error, text(failed)]
        saw["steps"] = text(await client.call_tool("steps", {}, progress_callback=on_progress))
        saw["ask"] = text(await client.call_tool("ask", {}))
        saw["sample"] = text(await client.call_tool("sample", {}))
        saw["roots"] = text(await client.call_tool("roots", {}))
        saw["resource"] = (await client.read_resource("trips://city/Rome")).contents[0].text
        saw["prompt"] = (await client.get_prompt("plan", {"city": "Rome"})).messages[0].content.text
        completed = await client.complete(types.PromptReference(type="ref/prompt", name="plan"), {"name": "city", "value": "R"})
        saw["complete"] = completed.completion.values
        try:
            await asyncio.wait_for(client.call_tool("wait", {}), 0.3)
            saw["cancelled"] = False
        except (asyncio.TimeoutError, TimeoutError):
            saw["cancelled"] = True
        saw["progress"] = progress
        print(json.dumps(saw))


if sys.argv[1] == "serve":
    serve(sys.argv[2])
else:
    asyncio.run(call(sys.argv[2], sys.argv[3:]))
