#!/usr/bin/env bash
# oidc-provider, an authorization server, and a resource that it protects, 127.0.0.1:18712. From npm.
. "$(dirname "$0")/base.sh"
node_packages oidc-provider@9
start oidc node "$folder/oidc_app.mjs" "$REAL/npm/stacks/node_modules/oidc-provider/lib/index.js" 18712
