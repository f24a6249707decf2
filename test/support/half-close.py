"""Sends what is on standard input, sends no more, and prints everything that is answered until the far side ends the connection.

usage: half-close.py tcp|close-notify|fin PORT [TLS-VERSION CA [CERTIFICATE KEY]]

tcp: without TLS. close-notify: TLS, with a close_notify alert and the end of TCP behind it. fin: TLS, with the end of TCP alone.
"""

import socket
import ssl
import sys

MODE, PORT = sys.argv[1], int(sys.argv[2])
LIMIT_S = 10


def receive_all(connection):
    while True:
        received = connection.recv(65536)
        if not received:
            return
        yield received


def call_plain(connection, request):
    connection.sendall(request)
    connection.shutdown(socket.SHUT_WR)
    return b"".join(receive_all(connection))


def tls_context(version, authority, *pair):
    context = ssl.create_default_context(cafile=authority)
    context.minimum_version = context.maximum_version = ssl.TLSVersion[version]
    if pair:
        context.load_cert_chain(*pair)
    return context


def call_tls(connection, request, context):
    """By way of buffers: Python's own TLS sockets cannot go on reading once they have sent close_notify."""
    received, to_send = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(received, to_send, server_hostname="localhost")

    def flush():
        connection.sendall(to_send.read())

    while True:
        try:
            tls.do_handshake()
            break
        except ssl.SSLWantReadError:
            flush()
            received.write(connection.recv(65536))
    tls.write(request)
    if MODE == "close-notify":
        try:
            tls.unwrap()
        except ssl.SSLWantReadError:
            pass  # sent; the far side's own comes with the end of its answer
    flush()
    connection.shutdown(socket.SHUT_WR)

    answer = b""
    for some in receive_all(connection):
        received.write(some)
        try:
            while more := tls.read(65536):
                answer += more
        except ssl.SSLWantReadError:
            continue
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            break
    return answer


with socket.create_connection(("127.0.0.1", PORT), timeout=LIMIT_S) as connection:
    request = sys.stdin.buffer.read()
    if MODE == "tcp":
        answer = call_plain(connection, request)
    else:
        answer = call_tls(connection, request, tls_context(*sys.argv[3:]))
    sys.stdout.buffer.write(answer)
