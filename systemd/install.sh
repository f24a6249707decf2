#!/bin/sh
# Installs Portaria as a service of systemd from this clone, or brings an installation up to date; says what it does. It may be run again and
# again: configuration, secrets and data are never overwritten.
set -eu
# The folders that it creates (/opt, /usr/local/bin) are readable for everyone, whatever root's umask is.
umask 022

usage() {
  cat <<END
usage: systemd/install.sh [--root DIR] [--allow-bundled-node]

  --root DIR             into this folder as if it were /, without touching the system: no user, no systemctl
  --allow-bundled-node   use the Node.js that npm ci brought even if it lacks fixes that Portaria needs, where the machine has no better one
END
}

prefix=
allow_bundled=no
while [ $# -gt 0 ]; do
  case $1 in
    --root)
      [ $# -ge 2 ] && [ -n "$2" ] || { usage >&2; exit 2; }
      mkdir -p "$2"
      prefix=$(cd "$2" && pwd -P)
      shift
      ;;
    --allow-bundled-node) allow_bundled=yes ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

root=$(dirname "$(dirname "$(readlink -f "$0")")")
program=$prefix/opt/portaria
etc=$prefix/etc/portaria
units=$prefix/etc/systemd/system
# Where a unit looks for programs (systemd.exec(5)).
unit_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

say() { echo "portaria: $*"; }
fail() {
  echo "portaria: $*" >&2
  exit 1
}

# $1 to $2 with mode $3, if it is not the same already.
place() {
  if cmp -s "$1" "$2"; then return; fi
  mkdir -p "$(dirname "$2")"
  install -m "$3" "$1" "$2"
  say "wrote $2"
}

find_runtime() {
  node=$(find_node is_safe_node "") || is_safe_node "$pinned" || node=$(find_node is_sufficient_node "") || node=
  case $(readlink -f "$node") in
    "$root"/*) node= ;;
    /home/* | /root/* | /run/user/*)
      fail "$node is in a home folder, which the service cannot see: install Node.js $safe or newer of line 24 in /usr/local" ;;
  esac
  bundled=no
  if [ -n "$node" ]; then
    say "runs on $node ($("$node" --version))"
    is_safe_node "$node" || say "the fixes of $safe that it lacks are in parts that Portaria does not use"
    return
  fi
  bundled=yes
  if is_safe_node "$pinned"; then
    say "runs on the Node.js that npm ci brought ($("$pinned" --version))"
  elif is_sufficient_node "$pinned"; then
    say "runs on the Node.js that npm ci brought ($("$pinned" --version)): the fixes of $safe that it lacks are in parts that Portaria does not use"
  elif [ "$allow_bundled" = yes ] && is_node "$pinned" 24.0.0; then
    say "runs on the Node.js that npm ci brought ($("$pinned" --version)), which lacks fixes that $safe has: portaria check fails until a newer one is in /usr/local and this has run again"
  else
    fail "no Node.js with the fixes that Portaria needs is on the PATH: install $safe or newer of line 24 in /usr/local, or add --allow-bundled-node to run on the one that npm ci brought"
  fi
}

# The packages of production that are here, one a line.
list_packages() {
  "$root/bin/node" -e '
    const [root, bundled] = process.argv.slice(1)
    const { packages } = require(`${root}/package-lock.json`)
    for (const [path, { dev }] of Object.entries(packages)) {
      const isWanted = path.startsWith("node_modules/") && dev !== true && (bundled === "yes" || !/\/node-linux-/.test(path))
      if (isWanted && require("node:fs").existsSync(`${root}/${path}`)) console.log(path)
    }' "$root" "$bundled"
}

# Written beside the old program, then renamed: a start never finds a mixture of both.
install_program() {
  [ "$root" != "$program" ] || { say "$program is this clone: nothing to copy"; return; }
  for own in data certs; do
    [ ! -e "$program/$own" ] || fail "$program/$own is there, which no installation makes, and the program is replaced as a whole: move it away first"
  done
  rm -rf "$program.new"
  mkdir -p "$program.new"
  { list_packages; printf '%s\n' bin config docs src systemd package.json simulator/bin simulator/docs simulator/src simulator/package.json simulator/README.md package-lock.json README.md README.pt.md CHANGELOG.md; } |
    tar -C "$root" -cf - -T - | tar -C "$program.new" -xf - --no-same-owner
  if commit=$(git -C "$root" rev-parse HEAD 2>/dev/null); then
    printf '{ "installed": "clone", "commit": "%s" }\n' "$commit" >"$program.new/build.json"
  fi
  chmod -R u+rwX,go+rX,go-w "$program.new"
  PATH=$runtime_path "$program.new/bin/portaria" serve --help >/dev/null ||
    fail "the copy in $program.new does not start: run npm ci in $root and try again"
  rm -rf "$program.old"
  [ ! -e "$program" ] || mv "$program" "$program.old"
  mv "$program.new" "$program"
  rm -rf "$program.old"
  say "wrote $program"
}

# If Node.js is outside the PATH of units, a drop-in adds its folder.
tell_units_of_node() {
  for unit in portaria portaria-check; do
    drop_in=$units/$unit.service.d/10-node.conf
    if [ "$runtime_path" = "$unit_path" ]; then
      [ ! -e "$drop_in" ] || { rm "$drop_in" && say "removed $drop_in"; }
    else
      printf '# Written by systemd/install.sh.\n[Service]\nEnvironment=PATH=%s\n' "$runtime_path" >"$work/node.conf"
      place "$work/node.conf" "$drop_in" 644
    fi
  done
}

# How restarts after failures back off, as far as this machine's systemd knows how. An unknown key would be a warning at every daemon-reload.
tell_units_of_restarts() {
  release=$(systemctl --version 2>/dev/null | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
  if [ "${release:-0}" -ge 254 ]; then back_off=restart-steps; else back_off=restart-wait; fi
  place "$root/systemd/$back_off.conf" "$units/portaria.service.d/20-restart.conf" 644
}

install_units() {
  for unit in portaria.service portaria.socket portaria-charges.socket portaria-api.socket portaria-check.service portaria-check.timer; do
    place "$root/systemd/$unit" "$units/$unit" 644
  done
  place "$root/systemd/portaria.sysusers" "$prefix/etc/sysusers.d/portaria.conf" 644
  place "$root/systemd/portaria.tmpfiles" "$prefix/etc/tmpfiles.d/portaria.conf" 644
  tell_units_of_node
  tell_units_of_restarts
}

install_command() {
  link=$prefix/usr/local/bin/portaria
  mkdir -p "$(dirname "$link")"
  if [ ! -e "$link" ] && [ ! -L "$link" ]; then
    ln -s /opt/portaria/bin/portaria "$link"
    say "wrote $link"
  elif [ "$(readlink "$link")" != /opt/portaria/bin/portaria ]; then
    say "kept $link, which is another program: Portaria's command is /opt/portaria/bin/portaria"
  fi
}

# Existing files are not changed.
install_site() {
  for folder in "$etc" "$etc/certs" "$etc/certs/trust"; do [ -d "$folder" ] || install -d -m 750 "$folder"; done
  [ -d "$etc/secrets" ] || install -d -m 700 "$etc/secrets"
  [ -d "$prefix/var/lib/portaria" ] || install -d -m 700 "$prefix/var/lib/portaria"
  if [ -e "$etc/portaria.yaml" ]; then
    say "kept $etc/portaria.yaml"
    # A configuration of portaria init is meant for a gateway that is started by hand.
    grep -q 'sqlite:/var/lib/portaria/' "$etc/portaria.yaml" ||
      say "the service can write to /var/lib/portaria alone, and $etc/portaria.yaml has its database elsewhere: compare it with $root/systemd/portaria.yaml"
  else
    install -m 640 "$root/systemd/portaria.yaml" "$etc/portaria.yaml"
    say "wrote $etc/portaria.yaml"
  fi
  write_operator_token "$etc/secrets"
}

[ -n "$prefix" ] || [ "$(id -u)" = 0 ] || { echo "portaria: run this as root, or with --root DIR" >&2; exit 2; }
[ ! -e "$prefix/usr/lib/portaria/build.json" ] ||
  fail "the Debian package is installed, whose units and command these would hide: apt remove portaria first, which keeps configuration and data"
[ -d "$root/node_modules/better-sqlite3" ] || fail "the dependencies are not here: run npm ci in $root first"
. "$root/bin/find-node"
. "$root/systemd/functions"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_runtime
runtime_path=$unit_path
case :$unit_path: in
  *:"${node%/node}":*) ;;
  *) [ -z "$node" ] || runtime_path=${node%/node}:$unit_path ;;
esac

install_program
install_units
install_command
install_site
if [ -n "$prefix" ]; then
  say "done, below $prefix alone: user, owners and units are a matter of the machine that it is for"
  exit 0
fi

systemd-sysusers portaria.conf
systemd-tmpfiles --create portaria.conf
(PATH=$runtime_path compile_for "$program" portaria)
systemctl daemon-reload
say "user, owners and modes are right, and systemd knows the units"
if systemctl is-active --quiet portaria.service; then
  say "the gateway still runs as it was: systemctl restart portaria"
else
  say "next: a certificate (certbot), the service's chains, systemctl enable --now, and a destination; /opt/portaria/systemd/README.md has the commands"
fi
