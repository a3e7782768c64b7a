"""A server with FastMCP: one tool that sends one request, or the tools of a document.

    fastmcp.py stdio|http UPSTREAM PORT [DOCUMENT]
"""
import sys

import httpx2
from fastmcp import FastMCP

transport, upstream, port = sys.argv[1:4]
client = httpx2.AsyncClient(base_url=upstream)

if len(sys.argv) > 4:
    import yaml

    with open(sys.argv[4], encoding="utf-8") as file:
        document = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    server = FastMCP.from_openapi(openapi_spec=document, client=client, name="bench")
else:
    server = FastMCP("bench")

    @server.tool
    async def get_item(id: int) -> dict:
        """Get an item"""
        answer = await client.get(f"/items/{id}")
        return answer.json()


if transport == "stdio":
    server.run(show_banner=False)
else:
    server.run(transport="http", host="127.0.0.1", port=int(port), path="/mcp", show_banner=False, log_level="error")
