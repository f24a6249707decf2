#!/bin/sh
# Polls for events and keeps its position in a file. Requests its own access token and renews it. Needs curl and sed only.
# Prints each page as a line of JSON.
#   PORTARIA_URL=http://127.0.0.1:8080 PORTARIA_CLIENT_ID=cli_… PORTARIA_CLIENT_SECRET=… CURSOR_FILE=cursor sh poll.sh
set -eu
url=${PORTARIA_URL:-http://127.0.0.1:8080}
file=${CURSOR_FILE:-cursor}
: "${PORTARIA_CLIENT_ID:?portaria clients create prints it}" "${PORTARIA_CLIENT_SECRET:?portaria clients create prints it}"
token='' renew_at=0 pause=1

# Your code. After a kill between this and save_position the same events come again: deduplicate on their ids.
handle_page() { printf '%s\n' "$1"; }

save_position() { printf '%s' "$1" >"$file.new" && mv "$file.new" "$file"; }

# Sets status and body. Secrets reach curl on standard input: every user of the machine can read a command line.
request() {
  answer=$(curl --silent --show-error --max-time 60 --write-out '\n%{http_code}' "$@") || { status=000 body=''; return; }
  status=${answer##*
}
  body=${answer%
*}
}

# Renewed after nine tenths of its lifetime, so that no request carries an expired token.
renew_token() {
  [ "$(date +%s)" -ge "$renew_at" ] || return 0
  request --data @- "$url/oauth/token" <<END
grant_type=client_credentials&client_id=$PORTARIA_CLIENT_ID&client_secret=$PORTARIA_CLIENT_SECRET
END
  [ "$status" = 200 ] || return 1
  token=$(printf '%s\n' "$body" | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')
  lifetime=$(printf '%s\n' "$body" | sed -n 's/.*"expires_in":\([0-9]*\).*/\1/p')
  renew_at=$(($(date +%s) + lifetime * 9 / 10))
}

# Each further failure doubles the pause, up to a minute.
back_off() {
  echo "$status: $body" >&2
  sleep "$pause"
  pause=$((pause < 30 ? pause * 2 : 60))
}

while :; do
  renew_token || { back_off; continue; }
  cursor=$(cat "$file" 2>/dev/null || true)
  request --header @- "$url/v1/events?limit=100&wait=30${cursor:+&after=$cursor}" <<END
authorization: Bearer $token
END
  case $status in
    200)
      handle_page "$body"
      save_position "$(printf '%s\n' "$body" | sed -n 's/.*"next":"\([A-Za-z0-9_-]*\)","more":[a-z]*\(,"hint":.*\)\{0,1\}}$/\1/p')"
      pause=1
      ;;
    410) # Retention removed events that this poller has not read. The answer says once where to continue.
      echo "$body" >&2
      save_position "$(printf '%s\n' "$body" | sed -n 's/.*"next":"\([A-Za-z0-9_-]*\)".*/\1/p')"
      ;;
    401) # The token expired or was revoked.
      renew_at=0
      back_off
      ;;
    *) back_off ;; # 429, 503, no answer
  esac
done
