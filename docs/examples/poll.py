#!/usr/bin/env python3
# Polls for events and keeps its position in a file. Requests its own access token and renews it. Python 3.8 or newer, nothing else.
#   PORTARIA_URL=http://127.0.0.1:8080 PORTARIA_CLIENT_ID=cli_… PORTARIA_CLIENT_SECRET=… CURSOR_FILE=cursor python3 poll.py
import json, os, sys, time
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL = os.environ.get("PORTARIA_URL", "http://127.0.0.1:8080")
CURSOR_FILE = os.environ.get("CURSOR_FILE", "cursor")
CLIENT = {"client_id": os.environ.get("PORTARIA_CLIENT_ID"), "client_secret": os.environ.get("PORTARIA_CLIENT_SECRET")}
if not all(CLIENT.values()):
    print('set PORTARIA_CLIENT_ID and PORTARIA_CLIENT_SECRET: "portaria clients create" prints them', file=sys.stderr)
    sys.exit(2)

def handle_event(event):
    """Your code. After a kill between this and save_position the same event comes again: deduplicate on its id."""
    print(json.dumps(event, ensure_ascii=False), flush=True)

def save_position(cursor):
    with open(CURSOR_FILE + ".new", "w") as file:
        file.write(cursor)
    os.replace(CURSOR_FILE + ".new", CURSOR_FILE)
    return cursor

def request(path, headers={}, form=None):
    body = None if form is None else urlencode(form).encode()
    with urlopen(Request(URL + path, data=body, headers=headers), timeout=60) as response:
        return json.load(response)

token, renew_at = "", 0.0

def access_token():
    """Renewed after nine tenths of its lifetime, so that no request carries an expired token."""
    global token, renew_at
    if time.monotonic() >= renew_at:
        answer = request("/oauth/token", form={"grant_type": "client_credentials", **CLIENT})
        token, renew_at = answer["access_token"], time.monotonic() + answer["expires_in"] * 0.9
    return token

cursor = open(CURSOR_FILE).read().strip() if os.path.exists(CURSOR_FILE) else ""
failures = 0
while True:
    retry_after = 0
    try:
        query = {"limit": 100, "wait": 30, **({"after": cursor} if cursor else {})}
        page = request(f"/v1/events?{urlencode(query)}", {"Authorization": f"Bearer {access_token()}"})
        for event in page["data"]:
            handle_event(event)
        cursor = save_position(page["next"])
        failures = 0
        continue
    except HTTPError as error:
        text = error.read().decode("utf-8", "replace")
        print(f"{error.code}: {text}", file=sys.stderr)
        # 410: retention removed events that this poller has not read. The answer says once where to continue.
        if error.code == 410:
            cursor = save_position(json.loads(text)["next"])
            continue
        # 401: the token expired or was revoked.
        if error.code == 401:
            renew_at = 0.0
        given = error.headers.get("retry-after", "")
        retry_after = int(given) if given.isdigit() else 0
    except (URLError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
    # 429, 503, no answer: each further failure doubles the pause, up to a minute.
    time.sleep(max(retry_after, min(60, 2 ** failures)))
    failures += 1
