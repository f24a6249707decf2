#!/usr/bin/env python3
# Receives forwarded events and verifies their signatures (Standard Webhooks). Python 3.8 or newer, nothing else.
#   WEBHOOK_SECRET=whsec_… PORT=9000 python3 verify.py
import base64, hashlib, hmac, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"][len("whsec_"):])
if len(KEY) < 24:
    raise SystemExit("WEBHOOK_SECRET is not whsec_ and base64")
TOLERANCE_SECONDS = 300
MOST_BYTES = 16 * 2**20

def is_genuine(headers, body):
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    # An old delivery that was recorded and is sent again is refused.
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    digest = hmac.new(KEY, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # While the secret rotates there are two signatures; one of them must be right.
    given = headers.get("webhook-signature", "").encode("latin-1", "replace").split(b" ")
    return any([hmac.compare_digest(signature, expected) for signature in given])

class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("content-length", -1))
        if not 0 <= length <= MOST_BYTES:
            return self.send_error(413)
        body = self.rfile.read(length)  # the raw bytes: never parsed and written again
        good = is_genuine(self.headers, body)
        # Your code. The same id comes again where an answer was lost: deduplicate on it.
        print("genuine" if good else "refused", self.headers["webhook-id"], body.decode("utf-8", "replace"), flush=True)
        self.send_response(204 if good else 401)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print("listening", server.server_port, flush=True)
server.serve_forever()
