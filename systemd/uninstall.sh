#!/bin/sh
# Takes away what systemd/install.sh installed, and says so. Configuration, secrets, certificates and data stay, and the user who owns them.
set -eu

usage() { echo "usage: systemd/uninstall.sh [--root DIR]"; }

prefix=
while [ $# -gt 0 ]; do
  case $1 in
    --root)
      [ $# -ge 2 ] && [ -d "$2" ] || { usage >&2; exit 2; }
      prefix=$(cd "$2" && pwd -P)
      shift
      ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
[ -n "$prefix" ] || [ "$(id -u)" = 0 ] || { echo "portaria: run this as root, or with --root DIR" >&2; exit 2; }

units="portaria-check.timer portaria-check.service portaria.socket portaria-charges.socket portaria-api.socket portaria.service"

say() { echo "portaria: $*"; }
remove() {
  [ -e "$1" ] || [ -L "$1" ] || return 0
  rm -rf "$1"
  say "removed $1"
}

for unit in $units; do
  file=$prefix/etc/systemd/system/$unit
  [ -e "$file" ] || continue
  if [ -z "$prefix" ]; then
    # The sockets first: a caller would start the gateway again.
    systemctl disable --now "$unit"
    # A failed unit would stay in systemctl --failed without its file. Units that systemd has not loaded have no state.
    systemctl reset-failed "$unit" 2>/dev/null || true
    say "stopped $unit"
  fi
  remove "$file"
  remove "$file.d/10-node.conf"
  remove "$file.d/20-restart.conf"
  rmdir "$file.d" 2>/dev/null || true
done
remove "$prefix/etc/sysusers.d/portaria.conf"
remove "$prefix/etc/tmpfiles.d/portaria.conf"
link=$prefix/usr/local/bin/portaria
[ "$(readlink "$link")" != /opt/portaria/bin/portaria ] || remove "$link"
for own in data certs; do
  [ ! -e "$prefix/opt/portaria/$own" ] || {
    echo "portaria: kept $prefix/opt/portaria, for it holds $own, which no installation makes: move that away and run this again" >&2
    exit 1
  }
done
remove "$prefix/opt/portaria"
[ -n "$prefix" ] || systemctl daemon-reload

for kept in "$prefix/etc/portaria" "$prefix/var/lib/portaria"; do
  [ ! -e "$kept" ] || say "kept $kept: rm -r '$kept' deletes it for ever"
done
[ -n "$prefix" ] || ! id portaria >/dev/null 2>&1 || say "kept the user portaria: userdel portaria removes it"
