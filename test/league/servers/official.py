"""The smallest server on mcp, the official SDK for Python."""

from mcp.server.mcpserver import MCPServer

from offer import offer

offer(MCPServer("python", version="1.0.0")).run()
