"""The smallest server on fastmcp."""

from fastmcp import FastMCP

from offer import offer

offer(FastMCP("fastmcp", version="1.0.0")).run(show_banner=False)
