#!/usr/bin/env bash
# stop.sh NAME…: ends stacks by the process ids that their start scripts recorded
. "$(dirname "$0")/base.sh"
for name in "$@"; do
    file=$REAL/data/$name.pid
    if [ -f "$file" ]; then
        kill "$(cat "$file")" 2>/dev/null || true
        rm "$file"
    fi
done
