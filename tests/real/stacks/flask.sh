#!/usr/bin/env bash
# Flask on waitress (WSGI: decodes the path before routing), 127.0.0.1:18701. From PyPI.
. "$(dirname "$0")/base.sh"
python flask waitress
start flask "$REAL/venv/stacks/bin/python" "$here/flask_app.py" 18701
