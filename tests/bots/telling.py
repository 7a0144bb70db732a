"""A bot that tries one point after another, and prints the current ply to stderr.

Usage: telling.py MODE SIDE HOST PORT. The mode `before` prints `ply N` before it moves, `long` adds more output than is
kept, `thinking` reports the bot's thinking in each turn, after a malformed line, `rude` adds escape sequences and
incomplete characters, `raise` ends with an exception in its third turn, and `silent` prints nothing.
"""

import random
import socket
import sys

mode, side, host, port = sys.argv[1:5]
black = side == "black"
points = [file + rank for file in "abcde" for rank in "12345"]
random.Random(7).shuffle(points)


def tell(text):
    if mode != "silent":
        sys.stderr.buffer.write(text.encode() if isinstance(text, str) else text)
        sys.stderr.flush()


def send(move):
    referee.sendall(f"{number} {'' if black else '... '}{move}\r\n".encode())


def begin_turn():
    global tries
    tries = iter([point for point in points if point not in taken] + ["pass"])
    ply = 2 * number - black
    if mode == "raise" and number == 3:
        raise RuntimeError(f"ply {ply}")
    if mode == "long":
        tell(f"ply {ply}\n" + "x" * 999 + "\n")
    elif mode == "thinking":
        points_and_depth = f"value={number:+} win=0.{number:02} depth={ply}"
        tell(f"#think depth={ply} depth=9\n#think {points_and_depth} nodes={1000 * ply} pv={points[0]},pass\n")
        tell(b"#think \x1b[2J=\xe2\x80\xae\xff\n")
    elif mode == "rude":
        tell(f"ply {ply}".encode() + b" \x1b[2J\xe2\x80\xae\xff\ttab\r\n")
    else:
        tell(f"ply {ply}\n")
    send(next(tries))


referee = socket.create_connection((host, int(port)))
tell("ready\n")
referee.sendall(f"0.9.1 player {side}\r\n".encode())
number, taken = 1, set()
for line in referee.makefile("r"):
    code = int(line[:3]) if line[:3].isdigit() else 0
    if code == 291:
        send(next(tries))
    elif 311 <= code <= 318:
        taken.add(line.split()[2 if code % 2 else 3])
        mine = (code % 2 == 1) == black
        number += mine
        if not mine:
            begin_turn()
    elif code == 352 and black:
        begin_turn()
    elif 201 <= code <= 204 or 321 <= code <= 328 or 361 <= code <= 362:
        break
tell("over\n")
