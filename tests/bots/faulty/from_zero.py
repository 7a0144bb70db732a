"""D08: counts from 0."""

import sys

from correct import Player


class Bot(Player):
    def form(self, move):
        dots = "... " if self.side == "white" else ""
        return f"{self.number - 1} {dots}{move}"

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
