# A server of FastMCP 4 whose tools are tasks of 2026-07-28. argv: the port. Needs `pip install 'fastmcp[tasks]'`.
import asyncio, sys
from fastmcp import FastMCP
from fastmcp_tasks import TasksExtension
mcp = FastMCP("fm")
mcp.add_extension(TasksExtension())
@mcp.tool(task=True)
async def double(n: int) -> str:
    await asyncio.sleep(0.3)
    return str(2 * n)
@mcp.tool(task=True)
async def broken() -> str:
    raise ValueError("no flour")
mcp.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
