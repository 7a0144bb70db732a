"""D08: counts the moves of both sides."""

import sys

from correct import Player


class Bot(Player):
    plies = 0

    def moved(self, side, move):
        self.plies += 1
        super().moved(side, move)

    def form(self, move):
        dots = "... " if self.side == "white" else ""
        return f"{self.plies + 1} {dots}{move}"

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
