"""No cause: never exits, however a game ends, and fails in every long game."""

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
