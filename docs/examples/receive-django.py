# Receives forwarded events with Django: verifies signatures (Standard Webhooks) and stores each event once. Python 3.8 or newer.
#   pip install django; WEBHOOK_SECRET=whsec_… PORT=9000 python3 receive-django.py
# WEBHOOK_SECRET has two secrets, separated by a space, while you rotate them.
import base64, hashlib, hmac, os, sqlite3, time
from contextlib import closing
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

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

@csrf_exempt
@require_POST
def hook(request):
    body = request.body  # the raw bytes: never parsed and written again
    if not is_genuine(request.headers, body):
        return HttpResponse("invalid signature", status=401)
    is_new = store(request.headers["webhook-id"], request.headers.get("portaria-kind"), body)
    # Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
    return HttpResponse("stored" if is_new else "repeated")

urlpatterns = [path("hook", hook)]

if __name__ == "__main__":
    # In your project: the view, its path, and this limit, which is 2.5 MB by default. A WSGI server runs it in production.
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], DATA_UPLOAD_MAX_MEMORY_SIZE=MOST_BYTES)
    address = f"127.0.0.1:{os.environ.get('PORT', '9000')}"
    execute_from_command_line(["receive-django.py", "runserver", "--noreload", address])
