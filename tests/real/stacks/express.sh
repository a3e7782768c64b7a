#!/usr/bin/env bash
# Express (routes the raw path, decodes values later, supports method override), 127.0.0.1:18703. From npm.
. "$(dirname "$0")/base.sh"
node_packages express method-override
start express env NODE_PATH="$REAL/npm/stacks/node_modules" node "$here/express_app.js" 18703
