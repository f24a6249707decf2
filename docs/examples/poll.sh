#!/bin/sh
# Polls for events and keeps its place in a file. curl and sed, nothing else. Prints each page as a line of JSON.
#   PORTARIA_URL=http://127.0.0.1:8080 PORTARIA_TOKEN=… CURSOR_FILE=cursor sh poll.sh
set -eu
url=${PORTARIA_URL:-http://127.0.0.1:8080}
file=${CURSOR_FILE:-cursor}

# Yours. Killed between this and keep_place, it sees the same events again: deduplicate on their ids.
handle_page() { printf '%s\n' "$1"; }

keep_place() { printf '%s' "$1" >"$file.new" && mv "$file.new" "$file"; }

while :; do
  cursor=$(cat "$file" 2>/dev/null || true)
  # The token goes in by standard input: what stands on the command line can be read by every user of the machine.
  answer=$(printf 'authorization: Bearer %s\n' "$PORTARIA_TOKEN" | curl --silent --show-error --max-time 60 --header @- \
    --write-out '\n%{http_code}' "$url/v1/events?limit=100&wait=30${cursor:+&after=$cursor}") || { sleep 5; continue; }
  status=${answer##*
}
  body=${answer%
*}
  case $status in
    200)
      handle_page "$body"
      keep_place "$(printf '%s\n' "$body" | sed -n 's/.*"next":"\([A-Za-z0-9_-]*\)","more":[a-z]*}$/\1/p')"
      ;;
    410) # Retention removed events that this poller has not read. It says where to go on, once.
      echo "$body" >&2
      keep_place "$(printf '%s\n' "$body" | sed -n 's/.*"next":"\([A-Za-z0-9_-]*\)".*/\1/p')"
      ;;
    *) echo "$status: $body" >&2 && sleep 5 ;;
  esac
done
