"""A bot that only passes, and uses up the resource that MODE names.

Usage: hungry.py MODE SIDE HOST PORT. On its first turn, `all` burns 0.3 s of CPU time, holds 50 MiB, starts three
children that wait forever, and writes 100,000 bytes each to stderr and to its scratch space. `sleep` sleeps and `spin`
computes until the bot is killed.
"""

import os
import signal
import socket
import sys
import time

mode, side, host, port = sys.argv[1:5]
referee = socket.create_connection((host, int(port)))
referee.sendall(f"0.9.1 player {side}\r".encode())
mine = {"black": ("311", "313", "315", "317"), "white": ("312", "314", "316", "318")}[side]
held = None
number = 1
for line in referee.makefile("r", newline="\r\n"):
    code = line[:3]
    if code[:2] in ("32", "36", "39"):
        break
    if code in mine:
        number += 1
    my_turn = code == "352" if number == 1 and side == "black" else code[:2] == "31" and code not in mine
    if not my_turn:
        continue
    while mode == "sleep":
        signal.pause()
    while mode == "spin":
        pass
    if held is None:
        held = b"x" * (50 << 20)
        for _ in range(3):
            if os.fork() == 0:
                signal.pause()
        begin = time.process_time()
        while time.process_time() - begin < 0.3:
            pass
        os.write(2, b"x" * 99_999 + b"\n")
        with open(os.path.join(os.environ["TMPDIR"], "scratch"), "wb") as scratch:
            scratch.write(b"x" * 100_000)
    referee.sendall((f"{number} pass\r" if side == "black" else f"{number} ... pass\r").encode())
