#!/usr/bin/env bash
# Starlette on uvicorn (ASGI: the path is decoded before it is routed), 127.0.0.1:18702. From PyPI.
. "$(dirname "$0")/base.sh"
python starlette uvicorn
start starlette "$REAL/venv/stacks/bin/python" "$here/starlette_app.py" 18702
