"""A correct Gothello player. Each faulty bot of the tests differs from it in one thing."""

import os
import random
import socket
import sys

POINTS = [file + rank for rank in "12345" for file in "abcde"]
ENDS = {201, 202, 203, 204, 321, 322, 323, 324, 325, 326, 327, 328, 361, 362, 391, 392}


def beside(point):
    file, rank = "abcde".index(point[0]), "12345".index(point[1])
    near = [(file - 1, rank), (file + 1, rank), (file, rank - 1), (file, rank + 1)]
    return ["abcde"[f] + "12345"[r] for f, r in near if 0 <= f < 5 and 0 <= r < 5]


class Player:
    def __init__(self, arguments):
        self.side, self.host, self.server = arguments[:3]
        self.other = "white" if self.side == "black" else "black"
        self.board = {point: None for point in POINTS}
        self.number = 1
        self.own_time = None
        self.opponent_passed = False
        self.tried = []
        random.seed(os.environ.get("GOTHELLO_SEED"))

    # Lines

    def connect(self):
        self.socket = socket.create_connection((self.host, 29068 + int(self.server)))
        self.input = self.socket.makefile("r", newline="\n")

    def read(self):
        return self.input.readline()

    def say(self, line):
        self.socket.sendall(f"{line}\r\n".encode())

    # The protocol

    def run(self):
        self.connect()
        self.read()
        self.hello()
        while True:
            line = self.read()
            if not line:
                self.closed()
            self.hear(line.split())

    def hello(self):
        self.say(f"0.9.1 player {self.side}")

    def hear(self, words):
        code = int(words[0])
        if code == 101:
            self.clocks(int(words[1]), int(words[2]))
        elif code in ENDS:
            self.over(code)
        elif code in (291, 299):
            self.refused(code)
        elif 311 <= code <= 318:
            self.moved("black" if code % 2 else "white", words[3] if words[2] == "..." else words[2])
        elif code in (351, 352):
            if self.side == "black":
                self.turn()

    def clocks(self, own, opponent):
        self.own_time = own

    def over(self, code):
        sys.exit(0)

    def closed(self):
        sys.exit(0)

    def refused(self, code):
        if code == 299:
            self.send(self.last)
        else:
            self.tried.append(self.last)
            self.turn()

    def moved(self, side, move):
        self.opponent_passed = move == "pass" and side != self.side
        self.tried = []
        if move != "pass":
            self.place(side, move)
        if side == self.side:
            self.number += 1
        else:
            self.turn()

    def turn(self):
        self.send(self.choose())

    def send(self, move):
        self.last = move
        self.say(self.form(move))

    def form(self, move):
        dots = "... " if self.side == "white" else ""
        return f"{self.number} {dots}{move}"

    # The rules

    def group(self, point):
        group, free = [point], False
        for member in group:
            for near in beside(member):
                free = free or self.board[near] is None
                if self.board[near] == self.board[point] and near not in group:
                    group.append(near)
        return group, free

    def is_legal(self, side, point):
        if self.board[point] is not None:
            return False
        self.board[point] = side
        free = self.group(point)[1]
        self.board[point] = None
        return free

    def captured(self, side, point):
        found = []
        for near in beside(point):
            if self.board[near] not in (None, side):
                group, free = self.group(near)
                if not free and group not in found:
                    found.append(group)
        return found

    def place(self, side, point):
        self.board[point] = side
        for group in self.captured(side, point):
            for stone in group:
                self.board[stone] = side

    def choose(self):
        legal = self.legal()
        return random.choice(legal) if legal else "pass"

    def legal(self):
        return [point for point in POINTS if point not in self.tried and self.is_legal(self.side, point)]


if __name__ == "__main__":
    Player(sys.argv[1:]).run()
