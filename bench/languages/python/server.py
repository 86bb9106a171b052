"""Servers in Python: "sdk" is the official SDK as documented, "fastmcp" is FastMCP as documented. The port is chosen by
the system and said on stdout."""

import json
import os
import socket
import sys
import threading

import httpx2
import uvicorn
from redis import asyncio as redis

carts = redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
catalogue = httpx2.AsyncClient(base_url=os.environ["CATALOGUE_URL"])


def echo(text: str) -> str:
    """Returns its text"""
    return text


async def cart(user: str) -> str:
    """What is in a user's cart"""
    return json.dumps(await carts.hgetall(f"cart:{user}"))


async def product(id: str) -> str:
    """One product of the catalogue"""
    answer = await catalogue.get(f"/products/{id}")
    return answer.raise_for_status().text


def sdk():
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("python-sdk", log_level="ERROR")
    for tool in (echo, cart, product):
        server.tool()(tool)
    return server.streamable_http_app()


def fastmcp():
    from fastmcp import FastMCP

    server = FastMCP("fastmcp")
    for tool in (echo, cart, product):
        server.tool(tool)
    return server.http_app(path="/mcp")


def end_with_the_bench():
    sys.stdin.read()
    os._exit(0)


apps = {"sdk": sdk, "fastmcp": fastmcp}
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(1024)
print("port", listener.getsockname()[1], flush=True)
threading.Thread(target=end_with_the_bench, daemon=True).start()
uvicorn.Server(uvicorn.Config(apps[sys.argv[1]](), log_level="error", access_log=False)).run(sockets=[listener])
