#!/usr/bin/env bash
# Starlette on uvicorn (ASGI: decodes the path before routing), 127.0.0.1:18702. From PyPI.
. "$(dirname "$0")/base.sh"
python starlette uvicorn
start starlette "$REAL/venv/stacks/bin/python" "$here/starlette_app.py" 18702
