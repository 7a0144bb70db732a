#!/usr/bin/env python3
"""The simplest Gothello player: it reads the referee's lines from stdin and answers on stdout, without a socket.

In the tournament file:

    [[player]]
    name = "line bot"
    command = ["python3", "line_bot.py"]
    transport = "stdio"

Debug with `print("...", file=sys.stderr)`: stdout belongs to the referee, and the arena stores stderr with the game
log. It also stores a line such as `#think value=+3 depth=2` with the move, as the bot's claim about its position.
"""

import os
import random
import sys

SIZE = 5
board = {(file, rank): "." for file in range(SIZE) for rank in range(SIZE)}  # ".", "b" or "w"


def beside(point):
    """The two to four points next to `point`."""
    file, rank = point
    return [p for p in [(file - 1, rank), (file + 1, rank), (file, rank - 1), (file, rank + 1)] if p in board]


def group_of(point):
    """The points of the group at `point`, and whether the group touches an empty point (a liberty)."""
    group, free = [point], False
    for member in group:  # the list grows during the iteration
        for other in beside(member):
            free = free or board[other] == "."
            if board[other] == board[point] and other not in group:
                group.append(other)
    return group, free


def is_legal(point, stone):
    """Whether `stone` may go on `point`: the point is empty, and its group has a liberty before any capture."""
    if board[point] != ".":
        return False
    board[point] = stone
    free = group_of(point)[1]
    board[point] = "."
    return free


def place(point, stone):
    """Puts `stone` on `point`. Groups of the other colour next to it change colour if they have no liberty left."""
    board[point] = stone
    groups = [group_of(other) for other in beside(point) if board[other] not in (".", stone)]
    for group, free in groups:
        if not free:
            for member in group:
                board[member] = stone


def choose(stone):
    """The move to make: a point such as "c3", or "pass"."""
    legal = [point for point in board if is_legal(point, stone)]
    if not legal:
        return "pass"
    # YOUR IDEA GOES HERE. This bot plays on any legal point.
    file, rank = random.choice(legal)
    return "abcde"[file] + "12345"[rank]


def say(line):
    """Sends a line. It ends with a carriage return. Without the flush, it would stay in our own buffer."""
    print(line, end="\r", flush=True)


random.seed(os.environ.get("GOTHELLO_SEED"))  # the arena sets it, so that games can be repeated
me = None
plies = 0
for line in sys.stdin:
    code, *words = line.split()
    code = int(code)
    our_turn = False
    if code == 0:  # the greeting; the environment names the side to ask for
        say("0.9.1 player " + os.environ.get("GOTHELLO_SIDE", "?"))
    elif code in (351, 352):  # the game begins; black moves first
        me = "w" if code == 351 else "b"
        our_turn = me == "b"
    elif 311 <= code <= 318:  # a move was made, by black if the code is odd: "311 1 c3" or "312 1 ... d4"
        mover, move = ("b", words[1]) if code % 2 else ("w", words[2])
        if move != "pass":
            place(("abcde".index(move[0]), "12345".index(move[1])), mover)
        plies += 1
        our_turn = mover != me
    elif code in (201, 202, 203, 204) or code // 10 in (32, 36, 39):  # the result
        sys.exit()
    elif code // 10 in (19, 29):  # no seat, or a move refused
        sys.exit("the referee's answer: " + line.strip())

    if our_turn:
        dots = "... " if me == "w" else ""
        say(f"{plies // 2 + 1} {dots}{choose(me)}")
sys.exit("the referee's lines ended in the middle of the game")
