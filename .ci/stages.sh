# shellcheck shell=bash
# For .ci/run and .ci/nightly: what both prepare, and how a stage runs. The caller has `set -euo pipefail`, and stands in the root of the clone.

if [ "$(id -u)" != 0 ]; then
  echo "The gate installs packages, and runs tests as root and as an ordinary user: run it as root." >&2
  exit 2
fi
export CI=true
user=portaria-gate
id "$user" >/dev/null 2>&1 || useradd --create-home "$user"
home=$(getent passwd "$user" | cut -d: -f6)
reports=$(mktemp -d)
copy=$(mktemp -d "$home/gate-XXXXXX")
trap 'rm -rf "$reports" "$copy"' EXIT
chown "$user:" "$reports"
status=0
runs=()

# The processor time, in seconds, of all programs that this shell has waited for (proc(5): cutime and cstime).
processor_seconds() {
  awk -v ticks="$(getconf CLK_TCK)" '{ sub(/^.*\) /, ""); split($0, field, " "); printf "%.1f\n", (field[14] + field[15]) / ticks }' "/proc/$$/stat"
}

# stage NAME COMMAND...: runs it. Its seconds by the clock and of the processor are a line of the table at the end.
stage() {
  local name=$1 began=$EPOCHREALTIME before
  before=$(processor_seconds)
  # shellcheck disable=SC2034 # the caller hands it to count.js
  "${@:2}" || status=$?
  printf '%s\t%s\t%s\n' "$name" "$(echo "$EPOCHREALTIME $began" | awk '{ print $1 - $2 }')" "$(echo "$(processor_seconds) $before" | awk '{ print $1 - $2 }')" >>"$reports/stages.tsv"
}

# report NAME COMMAND..., report_of_user NAME COMMAND...: a stage whose tests are counted, as root or as the ordinary user in a tree of its own.
report() {
  runs+=("$1")
  stage "$1" env PORTARIA_TEST_REPORT="$reports/$1.json" "${@:2}"
}
report_of_user() {
  runs+=("$1")
  stage "$1" runuser -u "$user" -- env -C "$copy/tree" HOME="$home" PORTARIA_TEST_REPORT="$reports/$1.json" "${@:2}"
}

copy_for_user() {
  cp -a . "$copy/tree"
  chown -R "$user:" "$copy"
}

# install_programs FILE...: the Debian packages of these lists whose program or file is not there. A line is PACKAGE PROGRAM, or PACKAGE /PATH.
install_programs() {
  local package wanted missing=()
  while read -r package wanted; do
    case $package in '' | '#'*) continue ;; esac
    case $wanted in
      # A pattern may match any file, or none.
      /*) compgen -G "$wanted" >/dev/null || missing+=("$package") ;;
      *) PATH="$PATH:/usr/sbin" command -v "$wanted" >/dev/null || missing+=("$package") ;;
    esac
  done < <(cat "$@")
  if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
}
