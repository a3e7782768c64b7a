#!/usr/bin/env bash
# nginx as a proxy in front of the others, 127.0.0.1:18710 to 18715. From Debian.
. "$(dirname "$0")/base.sh"
command -v nginx >/dev/null || {
    apt-get update -q
    apt-get install -y -q --no-install-recommends nginx
}
data=$REAL/data/nginx
mkdir -p "$data"
sed "s#@DATA@#$data#g" "$here/nginx.conf" >"$data/nginx.conf"
start nginx nginx -p "$data" -c "$data/nginx.conf" -e "$data/error.log"
