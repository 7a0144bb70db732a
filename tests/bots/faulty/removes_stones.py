"""D04: takes captured stones off its board, as in Go."""

import sys

from correct import Player


class Bot(Player):
    def place(self, side, point):
        self.board[point] = side
        for group in self.captured(side, point):
            for stone in group:
                self.board[stone] = None

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
