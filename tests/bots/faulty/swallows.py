"""D02: connects to a hard-coded host, and does not report the failure."""

import socket
import sys


def main():
    side = sys.argv[1]
    try:
        connection = socket.create_connection(("barton.example.edu", 29068))
    except OSError:
        return
    connection.sendall(f"0.9.1 player {side}\r\n".encode())


main()
