"""D18: fails at random in one move out of ten, whatever the seed is."""

import random
import sys

from correct import Player


class Bot(Player):
    def choose(self):
        if random.SystemRandom().random() < 0.1:
            return [][0]
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
