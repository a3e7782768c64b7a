"""Drives a server with a client of Python, and prints what happens as JSON.

    mcp_client.py session|client|fastmcp STEPS -- COMMAND ARGUMENT…

`session` is `mcp` with the revisions that have a handshake, `client` the newest one, `fastmcp` the client of
FastMCP. STEPS is a JSON array; each step gives one entry of `steps`:

    {"do": "list"}                                      all pages: {"tools": […], "pages": 1}
    {"do": "call", "name": …, "arguments": …}           {"result": …} or {"error": {"code", "message"}}, and "seconds"
    {"do": "call", …, "fill": {"name": SIZE}}           with an argument of SIZE letters
    {"do": "parallel", "count": N, "name": …, …}        N calls at once: {"ok": …, "other": […]}
    {"do": "cancel", "after": SECONDS, "name": …, …}    a call that the client gives up: {"given_up": true}
    {"do": "raw", "lines": […]}                         lines that the server receives next to those of the client: {}
    {"do": "restart", "name": …, …}                     a call of a server that was killed, by the client of it; then
                                                        another client and server begin: {"error": …}
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path


class Session:
    """A session with the names of the others."""

    def __init__(self, opened):
        self.opened = opened
        self.call_tool = opened.call_tool

    async def list_tools(self, **cursor):
        from mcp.types import PaginatedRequestParams

        return await self.opened.list_tools(params=PaginatedRequestParams(**cursor))


@contextlib.asynccontextmanager
async def session(command):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as opened:
        answer = await opened.initialize()
        yield Session(opened), answer.protocol_version


@contextlib.asynccontextmanager
async def client(command):
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(stdio_client(server)) as opened:
        yield opened, opened.protocol_version


class Fastmcp:
    """The client of FastMCP with the names of the others."""

    def __init__(self, opened):
        self.opened = opened

    async def list_tools(self, **cursor):
        return await self.opened.list_tools_mcp(**cursor)

    async def call_tool(self, name, arguments):
        return await self.opened.call_tool_mcp(name, arguments)


@contextlib.asynccontextmanager
async def fastmcp(command):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    transport = StdioTransport(command[0], command[1:], env=dict(os.environ), keep_alive=False)
    async with Client(transport) as opened:
        yield Fastmcp(opened), None


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def server():
    """Returns the process of the server, the only one that this process started."""
    tasks = Path("/proc/self/task").iterdir()
    [process] = [int(word) for task in tasks for word in (task / "children").read_text().split()]
    return process


async def call(opened, step):
    from mcp import MCPError

    filled = {name: "x" * size for name, size in step.get("fill", {}).items()}
    begun = time.monotonic()
    try:
        ended = {"result": plain(await opened.call_tool(step["name"], step["arguments"] | filled))}
    except MCPError as error:
        ended = {"error": {"code": error.code, "message": error.message}}
    return ended | {"seconds": time.monotonic() - begun}


async def listed(opened):
    pages = [plain(await opened.list_tools())]
    while cursor := pages[-1].get("nextCursor"):
        pages.append(plain(await opened.list_tools(cursor=cursor)))
    tools = [tool for page in pages for tool in page["tools"]]
    return {"tools": tools, "pages": len(pages), "cacheScope": pages[0].get("cacheScope")}


async def take(opened, step):
    match step["do"]:
        case "list":
            return await listed(opened)
        case "call":
            return await call(opened, step)
        case "parallel":
            ended = await asyncio.gather(*(call(opened, step) for _ in range(step["count"])))
            other = [one for one in ended if one.get("result", {}).get("isError", True)]
            return {"ok": len(ended) - len(other), "other": other[:3]}
        case "cancel":
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(call(opened, step), step["after"])
                return {"given_up": False}
            return {"given_up": True}
        case "raw":
            with open(f"/proc/{server()}/fd/0", "w") as pipe:
                pipe.writelines(f"{line}\n" for line in step["lines"])
            return {}
        case "restart":
            os.kill(server(), signal.SIGKILL)
            try:
                return await call(opened, step)
            except Exception as error:
                return {"error": {"code": None, "message": repr(error)}}


async def main(style, steps, command):
    steps, taken = json.loads(steps), []
    while steps:
        step = {}
        try:
            async with style(command) as (opened, revision):
                while steps and step.get("do") != "restart":
                    step = steps.pop(0)
                    taken.append(await take(opened, step))
        except Exception:
            # The client of a killed server may fail when it ends.
            if step.get("do") != "restart":
                raise
    print(json.dumps({"revision": revision, "steps": taken}))


_, style, steps, _, *command = sys.argv
asyncio.run(main({"session": session, "client": client, "fastmcp": fastmcp}[style], steps, command))
