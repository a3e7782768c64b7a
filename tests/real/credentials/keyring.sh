#!/usr/bin/env bash
# GNOME Keyring and its command, from Debian's packages. The test starts them on a message bus of its own.
. "$(dirname "$0")/base.sh"
has() { command -v "$1" >/dev/null; }
has gnome-keyring-daemon && has secret-tool && has dbus-run-session && exit
apt-get update -qq >>"$REAL/logs/keyring.log" 2>&1
apt-get install -y -qq gnome-keyring libsecret-tools dbus >>"$REAL/logs/keyring.log" 2>&1
