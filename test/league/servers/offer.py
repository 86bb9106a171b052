"""What the small servers on Python's SDKs offer."""

from mcp.types import ToolAnnotations


def offer(server):
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

    return server
