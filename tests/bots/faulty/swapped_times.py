"""D13: mistakes its opponent's time for its own."""

import sys
import time

from correct import Player


class Bot(Player):
    budget = 0

    def clocks(self, own, opponent):
        self.budget = opponent

    def choose(self):
        time.sleep(self.budget / 20)
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
