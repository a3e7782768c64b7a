# Sourced by the other scripts. REAL is the folder of installed packages and of the stacks' data.
set -euo pipefail
: "${REAL:?must be the installation folder}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$REAL/logs" "$REAL/data"

# python PACKAGE…: a virtual environment with the packages from PyPI
python() {
    local folder=$REAL/venv/stacks
    [ -x "$folder/bin/python" ] || python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

# node_packages PACKAGE…: a folder with the packages from npm
node_packages() {
    local folder=$REAL/npm/stacks
    mkdir -p "$folder"
    [ -f "$folder/package.json" ] || echo '{"name": "stacks", "private": true}' >"$folder/package.json"
    (cd "$folder" && npm install --no-fund --no-audit --loglevel=error "$@")
}

# start NAME COMMAND…: runs a command in the background and writes its process id to data/NAME.pid
start() {
    local name=$1
    shift
    nohup "$@" >"$REAL/logs/$name.log" 2>&1 &
    echo $! >"$REAL/data/$name.pid"
}
