"""The far side of sd_notify(3): prints each message that comes to the socket PATH (@ for an abstract one), its lines as one of JSON."""
import json
import socket
import sys

path = sys.argv[1]
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind("\0" + path[1:] if path.startswith("@") else path)
print("[]", flush=True)
while True:
    # A descriptor that comes along is closed: that is what BARRIER=1 waits for.
    print(json.dumps(heard.recv(65536).decode().split("\n")), flush=True)
