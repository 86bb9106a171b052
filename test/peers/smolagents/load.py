"""Loads the tools of a server over standard streams, as a user of smolagents does, and calls each; prints what came, as JSON.

load.py COMMAND ...
"""

import json
import sys

from mcp import StdioServerParameters
from smolagents import ToolCollection

parameters = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
with ToolCollection.from_mcp(parameters, trust_remote_code=True, structured_output=False) as collection:
    arguments = {"add": {"a": 1, "b": 2}}
    print(json.dumps({tool.name: tool(**arguments.get(tool.name, {})) for tool in collection.tools}))
