"""D20: tries random points, even occupied ones, and passes if one is refused."""

import random
import sys

from correct import POINTS, Player


class Bot(Player):
    def choose(self):
        return "pass" if self.tried else random.choice(POINTS)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
