"""No cause: never leaves, whatever ends a game, and fails in each game that goes on for long."""

import sys
import time

from correct import Player


class Bot(Player):
    def over(self, code):
        time.sleep(3600)

    def choose(self):
        if self.number > 5:
            sys.exit(1)
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
