"""D18: looks up a fourth move that does not exist."""

import sys

from correct import Player


class Bot(Player):
    plan = ["c3", "b2", "d4"]

    def choose(self):
        wish = self.plan[self.number - 1]
        return wish if wish in self.legal() else super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
