#!/usr/bin/env bash
# stop.sh NAME…: ends services by the process ids that their start scripts recorded, and waits for their end
. "$(dirname "$0")/base.sh"
for name in "$@"; do
    file=$REAL/data/$name.pid
    [ -f "$file" ] || continue
    process=$(cat "$file")
    "$here/stop.sh" "$name"
    while kill -0 "$process" 2>/dev/null; do sleep 0.1; done
done
