#!/usr/bin/env bash
# The compiler of TypeScript from npm, and mypy from PyPI, into $REAL/code.
set -euo pipefail
folder=${REAL:?}/code
if [ ! -x "$folder/node_modules/.bin/tsc" ]; then
    mkdir -p "$folder"
    npm install --silent --no-fund --no-audit --prefix "$folder" typescript@5.9 @types/node@20 > /dev/null
fi
if [ ! -x "$folder/venv/bin/mypy" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet mypy
fi
