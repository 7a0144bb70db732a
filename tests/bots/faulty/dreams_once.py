"""D16: takes longer than a second for its third move, and makes all other moves immediately."""

import sys
import time

from correct import Player


class Bot(Player):
    def choose(self):
        if self.number == 3:
            time.sleep(1.6)
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
