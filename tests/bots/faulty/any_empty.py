"""D20: ignores the rule about liberties."""

import sys

from correct import Player


class Bot(Player):
    def is_legal(self, side, point):
        return self.board[point] is None

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
