#: A server
from typing import Literal
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from pydantic import BaseModel

mcp = FastMCP("desk", version="1.0.0")

#: A tool
@mcp.tool
def add(a: float, b: float) -> str:
    """Adds two numbers"""
    return f"{a + b:g}"

#: A structured result
class Sum(BaseModel):
    sum: float

@mcp.tool(name="sum")
def sum_of(numbers: list[float]) -> Sum:
    return Sum(sum=sum(numbers))

#: A failure that the model reads
@mcp.tool(name="print")
def print_page() -> str:
    raise ToolError("There is no ink.")

#: A resource
@mcp.resource("desk://note", mime_type="text/plain")
def note() -> str:
    return "Remember the milk."

#: A resource template
@mcp.resource("desk://drawer/{id}")
def drawer(id: str) -> str:
    return f"Drawer {id}"

#: A prompt
@mcp.prompt
def greet(name: str) -> str:
    return f"Greet {name}."

#: A question to the person
class Order(BaseModel):
    paper: Literal["A4", "A5"]

@mcp.tool
async def order(ctx: Context) -> str:
    answer = await ctx.elicit("Which paper?", response_type=Order)
    return f"Ordered {answer.data.paper}." if answer.action == "accept" else "Nothing ordered."

#: Progress
@mcp.tool
async def count(ctx: Context) -> str:
    for step in [1, 2, 3]:
        await ctx.report_progress(step, 3)
    return "Counted."

#: Serve it
mcp.run(show_banner=False)
