#!/usr/bin/env bash
# Flask on waitress (WSGI: the path is decoded before it is routed), 127.0.0.1:18701. From PyPI.
. "$(dirname "$0")/base.sh"
python flask waitress
start flask "$REAL/venv/stacks/bin/python" "$here/flask_app.py" 18701
