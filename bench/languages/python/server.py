"""Servers in Python: "sdk" is the official SDK as documented, "sdk-json" the same without sessions and with plain JSON
answers, "fastmcp" is FastMCP as documented. The port is chosen by the system and said on stdout."""

import os
import socket
import sys
import threading

import uvicorn


def sdk(**options):
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("python-sdk", log_level="ERROR")

    @server.tool()
    def echo(text: str) -> str:
        """Returns its text"""
        return text

    return server.streamable_http_app(**options)


def fastmcp():
    from fastmcp import FastMCP

    server = FastMCP("fastmcp")

    @server.tool
    def echo(text: str) -> str:
        """Returns its text"""
        return text

    return server.http_app(path="/mcp")


def end_with_the_bench():
    sys.stdin.read()
    os._exit(0)


apps = {"sdk": sdk, "sdk-json": lambda: sdk(json_response=True, stateless_http=True), "fastmcp": fastmcp}
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(1024)
print("port", listener.getsockname()[1], flush=True)
threading.Thread(target=end_with_the_bench, daemon=True).start()
uvicorn.Server(uvicorn.Config(apps[sys.argv[1]](), log_level="error", access_log=False)).run(sockets=[listener])
