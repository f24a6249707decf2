#!/bin/sh
# Follows events as a stream (server-sent events) and keeps its position in a file. Needs curl and sed only.
# Requests an access token before each connection. Prints each event as one JSON object.
#   PORTARIA_URL=http://127.0.0.1:8080 PORTARIA_CLIENT_ID=cli_… PORTARIA_CLIENT_SECRET=… CURSOR_FILE=cursor sh follow.sh
set -eu
url=${PORTARIA_URL:-http://127.0.0.1:8080}
file=${CURSOR_FILE:-cursor}
: "${PORTARIA_CLIENT_ID:?portaria clients create prints it}" "${PORTARIA_CLIENT_SECRET:?portaria clients create prints it}"
pause=1

# Your code. After a kill between this and save_position the same event comes again: deduplicate on its id.
handle_event() { printf '%s\n' "$1"; }

# Events that retention removed before they were read. The stream continues after them.
handle_gap() { printf '%s\n' "$1" >&2; }

save_position() { printf '%s' "$1" >"$file.new" && mv "$file.new" "$file"; }

# Secrets reach curl on standard input: every user of the machine can read a command line.
new_token() {
  curl --silent --show-error --max-time 60 --data @- "$url/oauth/token" <<END | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p'
grant_type=client_credentials&client_id=$PORTARIA_CLIENT_ID&client_secret=$PORTARIA_CLIENT_SECRET
END
}

# Without --speed-time, curl would wait forever for a gateway whose machine is gone. A comment comes at least every 15 s.
follow() {
  curl --silent --show-error --fail --no-buffer --speed-limit 1 --speed-time 60 --header @- "$url/v1/events/stream" <<END
authorization: Bearer $(new_token)
accept: text/event-stream
last-event-id: $(cat "$file" 2>/dev/null || true)
END
}

# A message ends with an empty line. A message without data only moves the position.
read_messages() {
  id='' type='' data=''
  while IFS= read -r line; do
    case $line in
      'id: '*) id=${line#id: } ;;
      'event: '*) type=${line#event: } ;;
      'data: '*) data="$data${line#data: }" ;;
      '')
        if [ "$type" = event ]; then handle_event "$data"; fi
        if [ "$type" = gap ]; then handle_gap "$data"; fi
        if [ -n "$id" ]; then save_position "$id"; fi
        id='' type='' data=''
        ;;
    esac
  done
}

# Each further failure doubles the pause, up to a minute.
while :; do
  started=$(date +%s)
  follow | read_messages
  if [ $(($(date +%s) - started)) -gt 60 ]; then pause=1; fi
  sleep "$pause"
  pause=$((pause < 30 ? pause * 2 : 60))
done
