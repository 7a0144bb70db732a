"""D05: captures first and checks for a liberty afterwards, as in Go."""

import sys

from correct import Player


class Bot(Player):
    def is_legal(self, side, point):
        if self.board[point] is not None:
            return False
        self.board[point] = side
        free = self.group(point)[1] or bool(self.captured(side, point))
        self.board[point] = None
        return free

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
