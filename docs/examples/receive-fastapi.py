# Receives forwarded events with FastAPI: verifies signatures (Standard Webhooks) and stores each event once. Python 3.8 or newer.
#   pip install fastapi uvicorn; WEBHOOK_SECRET=whsec_… PORT=9000 python3 receive-fastapi.py
# WEBHOOK_SECRET has two secrets, separated by a space, while you rotate them.
import base64, hashlib, hmac, os, sqlite3, time
from contextlib import closing
import uvicorn
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse

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

app = FastAPI()

@app.post("/hook")
async def hook(request: Request):
    body = bytearray()  # the raw bytes: never parsed and written again
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            return PlainTextResponse("too large", 413)
    if not is_genuine(request.headers, bytes(body)):
        return PlainTextResponse("invalid signature", 401)
    kind = request.headers.get("portaria-kind")
    is_new = await run_in_threadpool(store, request.headers["webhook-id"], kind, bytes(body))
    # Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
    return PlainTextResponse("stored" if is_new else "repeated")

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", "9000")), log_level="warning")
