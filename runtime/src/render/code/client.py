"""The tools of a role, as functions. Written by `toolwright export --target python`.

A program of this module needs a server, `toolwright serve --transport socket`, or runs in the sandbox of one.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from typing import Any, Literal, Mapping, Never, NotRequired, TypeAlias, TypedDict, cast


class ToolError(Exception):
    """The refusal or the failure of a call."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _connect(path: str) -> socket.socket:
    """Connects to the path of a socket, or asks a descriptor of a sandbox, `fd:3`, for a connection."""
    if not path.startswith("fd:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        return connection
    descriptor = os.dup(int(path.removeprefix("fd:")))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptor) as desk:
        desk.sendall(b"\0")
        _, files, _, _ = socket.recv_fds(desk, 1, 1)
    if not files:
        raise ToolError("no_answer", "the caller has ended the run")
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, files[0])


def call(tool: str, args: Mapping[str, object]) -> Any:
    """Calls a tool by its name."""
    path = os.environ.get("TOOLWRIGHT_SOCKET")
    if path is None:
        raise ToolError("no_socket", "TOOLWRIGHT_SOCKET is not set")
    request = json.dumps({"tool": tool, "arguments": args}).encode()
    with _connect(path) as connection:
        connection.sendall(struct.pack(">I", len(request)) + request)
        received = bytearray()
        # The server closes the connection after its answer.
        while block := connection.recv(1 << 16):
            received += block
    if len(received) < 4 or len(received) != 4 + struct.unpack(">I", received[:4])[0]:
        raise ToolError("no_answer", "the server closed the connection")
    answer = json.loads(received[4:])
    if "error" in answer:
        raise ToolError(answer["error"]["code"], answer["error"]["message"])
    return answer["result"]
