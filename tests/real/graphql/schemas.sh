#!/usr/bin/env bash
# Schemas that owners and users of GraphQL services publish on npm, unpacked into $REAL/graphql, and the
# reference implementation, which validates operations.
set -euo pipefail
folder=${REAL:?}/graphql
mkdir -p "$folder/packages"
unpack() { # package version
    local name
    name=$(echo "${1#@}" | tr / -)
    [ -d "$folder/packages/$name" ] && return
    local archive
    archive=$(cd "$folder" && npm pack --silent "$1@$2" | tail -n 1)
    mkdir -p "$folder/packages/$name.part"
    tar xzf "$folder/$archive" -C "$folder/packages/$name.part" --strip-components 1
    rm "$folder/$archive"
    mv "$folder/packages/$name.part" "$folder/packages/$name"
}
unpack @octokit/graphql-schema 15.26.1
unpack @nautical-commerce/graphql-schema 4.15.0
unpack @shopify/hydrogen-react 2026.4.4
unpack @cardano-graphql/client-ts 6.2.0
unpack @digdir/dialogporten-schema 1.40.0
if [ ! -d "$folder/node_modules/graphql" ]; then
    npm install --silent --no-fund --no-audit --prefix "$folder" graphql@16 > /dev/null
fi
