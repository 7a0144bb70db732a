"""D21: speaks only over stdin and stdout."""

import os
import random
import sys

ENDS = {201, 202, 203, 204, 321, 322, 323, 324, 325, 326, 327, 328, 361, 362, 391, 392}


def beside(point):
    file, rank = "abcde".index(point[0]), "12345".index(point[1])
    near = [(file - 1, rank), (file + 1, rank), (file, rank - 1), (file, rank + 1)]
    return ["abcde"[f] + "12345"[r] for f, r in near if 0 <= f < 5 and 0 <= r < 5]


class Bot:
    def __init__(self, arguments):
        self.side = arguments[0]
        self.board = {file + rank: None for rank in "12345" for file in "abcde"}
        self.number = 1
        random.seed(os.environ.get("GOTHELLO_SEED"))

    def say(self, line):
        print(line, end="\r\n", flush=True)

    def run(self):
        self.say(f"0.9.1 player {self.side}")
        for line in sys.stdin:
            words = line.split()
            code = int(words[0])
            if code in ENDS:
                break
            if code in (351, 352) and self.side == "black":
                self.turn()
            if 311 <= code <= 318:
                self.moved("black" if code % 2 else "white", words[3] if words[2] == "..." else words[2])

    def moved(self, side, move):
        if move != "pass":
            self.place(side, move)
        if side == self.side:
            self.number += 1
        else:
            self.turn()

    def turn(self):
        self.say(f"{self.number} {'... ' if self.side == 'white' else ''}{self.choose()}")

    # The rules

    def group(self, point):
        group, free = [point], False
        for member in group:
            for near in beside(member):
                free = free or self.board[near] is None
                if self.board[near] == self.board[point] and near not in group:
                    group.append(near)
        return group, free

    def is_legal(self, point):
        if self.board[point] is not None:
            return False
        self.board[point] = self.side
        free = self.group(point)[1]
        self.board[point] = None
        return free

    def place(self, side, point):
        self.board[point] = side
        groups = [self.group(near) for near in beside(point) if self.board[near] not in (None, side)]
        for stone in [stone for group, free in groups if not free for stone in group]:
            self.board[stone] = side

    def choose(self):
        legal = [point for point in self.board if self.is_legal(point)]
        return random.choice(legal) if legal else "pass"


if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
