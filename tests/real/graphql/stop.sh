#!/usr/bin/env bash
# stop.sh NAME…: ends what the other scripts started
exec "$(dirname "$0")/../stacks/stop.sh" "$@"
