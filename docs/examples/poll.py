#!/usr/bin/env python3
# Polls for events and keeps its place in a file. Python 3.8 or newer, nothing else.
#   PORTARIA_URL=http://127.0.0.1:8080 PORTARIA_TOKEN=… CURSOR_FILE=cursor python3 poll.py
import json, os, sys, time
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL = os.environ.get("PORTARIA_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["PORTARIA_TOKEN"]
CURSOR_FILE = os.environ.get("CURSOR_FILE", "cursor")

def handle_event(event):
    """Yours. Killed between this and keep_place, it sees the same event again: deduplicate on its id."""
    print(json.dumps(event, ensure_ascii=False), flush=True)

def keep_place(cursor):
    with open(CURSOR_FILE + ".new", "w") as file:
        file.write(cursor)
    os.replace(CURSOR_FILE + ".new", CURSOR_FILE)
    return cursor

cursor = open(CURSOR_FILE).read().strip() if os.path.exists(CURSOR_FILE) else ""
while True:
    query = {"limit": 100, "wait": 30, **({"after": cursor} if cursor else {})}
    request = Request(f"{URL}/v1/events?{urlencode(query)}", headers={"Authorization": f"Bearer {TOKEN}"})
    try:
        with urlopen(request, timeout=60) as response:
            page = json.load(response)
        for event in page["data"]:
            handle_event(event)
        cursor = keep_place(page["next"])
    except HTTPError as error:
        problem = json.load(error)
        print(f"{error.code}: {problem.get('detail')}", file=sys.stderr)
        # 410: retention removed events that this poller has not read. It says where to go on, once.
        if error.code == 410:
            cursor = keep_place(problem["next"])
        else:
            time.sleep(5)
    except (URLError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        time.sleep(5)
