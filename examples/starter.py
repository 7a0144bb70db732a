#!/usr/bin/env python3
"""A Gothello player to start from, in Python 3 with only the standard library.

    python3 starter.py SIDE HOST SERVER     for example: python3 starter.py black localhost 0

It captures as many stones as it can, and otherwise plays anywhere. Improve `choose`; the rest may stay as it is.
"""

import os
import random
import socket
import sys

POINTS = [file + rank for rank in "12345" for file in "abcde"]


def neighbours_of(point):
    """The two to four points next to `point`."""
    file, rank = ord(point[0]), ord(point[1])
    beside = [(file - 1, rank), (file + 1, rank), (file, rank - 1), (file, rank + 1)]
    return [name for name in (chr(f) + chr(r) for f, r in beside) if name in POINTS]


NEIGHBOURS = {point: neighbours_of(point) for point in POINTS}


# --- The rules. A board is a dict from each point to "black", "white" or None. ---


def opponent(side):
    return "white" if side == "black" else "black"


def has_liberty(board, point):
    """Whether the group of stones at `point` touches an empty point (a liberty)."""
    group, to_visit = {point}, [point]
    while to_visit:
        for beside in NEIGHBOURS[to_visit.pop()]:
            if board[beside] is None:
                return True
            if board[beside] == board[point] and beside not in group:
                group.add(beside)
                to_visit.append(beside)
    return False


def is_legal(board, side, point):
    """Whether `side` may play on `point`: an empty point where its group has a liberty, before any capture."""
    return board[point] is None and has_liberty({**board, point: side}, point)


def capture(board, side, point):
    """Gives the group at `point` to `side`."""
    board[point] = side
    for beside in NEIGHBOURS[point]:
        if board[beside] == opponent(side):
            capture(board, side, beside)


def place(board, side, point):
    """The board after a legal placement: groups next to it that lost their last liberty change colour."""
    after = {**board, point: side}
    lost = [p for p in NEIGHBOURS[point] if after[p] == opponent(side) and not has_liberty(after, p)]
    for beside in lost:
        if after[beside] != side:  # not yet captured as part of the same group
            capture(after, side, beside)
    return after


# --- The thinking. ---


def choose(board, side, opponent_passed):
    """The point to play on, or "pass". You may pass at any time; two passes in a row end the game."""
    stones = list(board.values())
    if opponent_passed and stones.count(side) > stones.count(opponent(side)):
        return "pass"  # the game ends, and we have won it

    # YOUR IDEA GOES HERE. This one looks one move ahead and counts its stones. What will the opponent answer? Which
    # groups have an eye (an empty point on which the opponent may never play) and so are safe? Would a pass be better?
    legal = [point for point in POINTS if is_legal(board, side, point)]
    random.shuffle(legal)  # so that equally good points are equally likely
    score = lambda point: list(place(board, side, point).values()).count(side)
    return max(legal, key=score, default="pass")


# --- The protocol: lines that begin with a three-digit code. ---


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: starter.py SIDE HOST SERVER")
    wanted, host, server = sys.argv[1:]
    random.seed(os.environ.get("GOTHELLO_SEED"))  # the arena sets it, so that games can be repeated

    connection = socket.create_connection((host, 29068 + int(server)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # our clock runs until the line arrives
    send = lambda line: connection.sendall((line + "\r").encode())

    board, me, plies, passed = dict.fromkeys(POINTS), None, 0, False
    for line in connection.makefile("r"):
        words = line.split()
        code = int(words[0])
        our_turn = False
        if code == 0:  # greeting
            send(f"0.9.1 player {wanted}")
        elif code in (351, 352):  # the game begins; black moves first
            me = "white" if code == 351 else "black"
            our_turn = me == "black"
        elif 311 <= code <= 318:  # a move was made, by black if the code is odd: "311 1 c3" or "312 1 ... d4"
            mover, move = ("black", words[2]) if code % 2 else ("white", words[3])
            board = board if move == "pass" else place(board, mover, move)
            plies, passed, our_turn = plies + 1, move == "pass", mover != me
        elif code in (201, 202, 203, 204) or code // 10 in (32, 36, 39):  # the result
            return
        elif code // 10 in (19, 29):  # no seat, or a move refused
            sys.exit(f"the referee says: {line.strip()}")
        # Anything else (100, 101: seated; 200, 207: our move is accepted) needs no answer.

        if our_turn:
            dots = "... " if me == "white" else ""
            send(f"{plies // 2 + 1} {dots}{choose(board, me, passed)}")
    sys.exit("the referee closed the connection in the middle of the game")


main()
