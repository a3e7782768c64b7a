#!/usr/bin/env bash
# GraphQL Yoga with the schema of server.mjs, 127.0.0.1:18731. From npm.
. "$(dirname "$0")/../stacks/base.sh"
folder=$REAL/npm/graphql
mkdir -p "$folder"
[ -f "$folder/package.json" ] || echo '{"name": "graphql-server", "private": true}' >"$folder/package.json"
[ -d "$folder/node_modules/graphql-yoga" ] ||
    (cd "$folder" && npm install --no-fund --no-audit --loglevel=error graphql-yoga@5 graphql@16)
own=$(cd "$(dirname "$0")" && pwd)
start server env REAL="$REAL" node "$own/server.mjs" 18731
