"""Runs a program with listening sockets from descriptor 3 on, as a service manager passes them: NAME=HOST:PORT,... PROGRAM ARGUMENTS."""
import fcntl
import os
import socket
import sys

specs = [spec.split("=", 1) for spec in sys.argv[1].split(",") if spec]
opened = []
for name, address in specs:
    if address.startswith("/"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(address)
        listener.listen()
    else:
        host, port = address.rsplit(":", 1)
        listener = socket.create_server((host, int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        print(name, listener.getsockname()[1], flush=True)
    # Out of the way of 3, 4, 5.
    opened.append(fcntl.fcntl(listener.fileno(), fcntl.F_DUPFD_CLOEXEC, 50))
for index, descriptor in enumerate(opened):
    os.dup2(descriptor, 3 + index, inheritable=True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(specs)), LISTEN_FDNAMES=":".join(name for name, _ in specs))
os.execvp(sys.argv[2], sys.argv[2:])
