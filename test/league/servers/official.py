"""The smallest server on mcp, the official SDK for Python."""

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("python", version="1.0.0")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@server.resource("hello://note")
def note() -> str:
    return "a note"


@server.prompt()
def greet(who: str) -> str:
    return f"Greet {who}."


server.run()
