"""Lists and calls a server's tools with Python's `mcp`, and prints the results as JSON.

    mcp_client.py session|client CALLS -- COMMAND ARGUMENT…

`session` uses the revisions with a handshake, `client` the newest one. CALLS is a JSON array of
[name, arguments] pairs. A call ends as {"result": …} or as {"error": {"code", "message"}}.
"""

import asyncio
import contextlib
import json
import os
import sys

from mcp import Client, ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client


@contextlib.asynccontextmanager
async def session(server):
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as opened:
        answer = await opened.initialize()
        yield opened, answer.protocol_version


@contextlib.asynccontextmanager
async def client(server):
    async with Client(stdio_client(server)) as opened:
        yield opened, opened.protocol_version


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def call(opened, name, arguments):
    try:
        return {"result": plain(await opened.call_tool(name, arguments))}
    except MCPError as error:
        return {"error": {"code": error.code, "message": error.message}}


async def main(style, calls, command):
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with style(server) as (opened, revision):
        listed = plain(await opened.list_tools())
        ended = [await call(opened, name, arguments) for name, arguments in json.loads(calls)]
    print(json.dumps({"revision": revision, "list": listed, "calls": ended}))


_, style, calls, _, *command = sys.argv
asyncio.run(main({"session": session, "client": client}[style], calls, command))
