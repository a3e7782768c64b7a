#!/usr/bin/env bash
# Installs Chromium with its driver and the fonts of fonts.conf from Debian, and the accessibility rules of axe-core from npm into
# $REAL/console.
set -euo pipefail
font=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
if ! command -v chromium > /dev/null || ! command -v chromedriver > /dev/null || [ ! -f "$font" ]; then
    apt-get update -qq
    # Debian 12 has the monospaced fonts in the package of the others.
    mono=$(apt-cache search --names-only '^fonts-dejavu-mono$' | cut -d ' ' -f 1)
    apt-get install -y -qq --no-install-recommends chromium chromium-driver fonts-dejavu-core $mono > /dev/null
fi
folder=${REAL:?}/console
if [ ! -f "$folder/node_modules/axe-core/axe.min.js" ]; then
    mkdir -p "$folder"
    npm install --silent --no-fund --no-audit --prefix "$folder" axe-core@4.11 > /dev/null
fi
