# Receives forwarded events with Flask: verifies signatures (Standard Webhooks) and stores each event once. Python 3.8 or newer.
#   pip install flask; WEBHOOK_SECRET=whsec_… PORT=9000 python3 receive-flask.py
# WEBHOOK_SECRET has two secrets, separated by a space, while you rotate them.
import base64, hashlib, hmac, os, sqlite3, time
from contextlib import closing
from flask import Flask, request

KEYS = [base64.b64decode(secret[len("whsec_"):]) for secret in os.environ["WEBHOOK_SECRET"].split()]
if not KEYS or min(map(len, KEYS)) < 24:
    raise SystemExit("WEBHOOK_SECRET is not whsec_ and base64")
TOLERANCE_SECONDS = 300
MOST_BYTES = 16 * 2**20
STORE = os.environ.get("STORE", "events.db")

def is_genuine(headers, body):
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    # An old delivery that was recorded and is sent again is refused.
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{id}.{timestamp}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in KEYS]
    # While the secret rotates there are two signatures; one of them must be right.
    given = headers.get("webhook-signature", "").encode("latin-1", "replace").split(b" ")
    return any([hmac.compare_digest(one, other) for one in given for other in expected])

def store(id, kind, body):
    """Stores the event once, on disk when it returns. False: it was stored before."""
    with closing(sqlite3.connect(STORE)) as db, db:
        db.execute("CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, kind TEXT, body BLOB)")
        return db.execute("INSERT OR IGNORE INTO events VALUES (?, ?, ?)", (id, kind, body)).rowcount == 1

app = Flask(__name__)

@app.post("/hook")
def hook():
    body = request.stream.read(MOST_BYTES + 1)  # the raw bytes: never parsed and written again
    if len(body) > MOST_BYTES:
        return "too large", 413
    if not is_genuine(request.headers, body):
        return "invalid signature", 401
    is_new = store(request.headers["webhook-id"], request.headers.get("portaria-kind"), body)
    # Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
    return ("stored" if is_new else "repeated"), 200

if __name__ == "__main__":
    # In production a WSGI server runs "app".
    app.run("127.0.0.1", int(os.environ.get("PORT", "9000")))
