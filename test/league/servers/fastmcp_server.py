"""The smallest server on fastmcp."""

from fastmcp import FastMCP
from mcp.types import ToolAnnotations

server = FastMCP("fastmcp", version="1.0.0")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@server.resource("hello://note")
def note() -> str:
    return "a note"


@server.prompt
def greet(who: str) -> str:
    return f"Greet {who}."


server.run(show_banner=False)
