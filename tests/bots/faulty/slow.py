"""D16: ignores its clock."""

import sys
import time

from correct import Player


class Bot(Player):
    def choose(self):
        time.sleep(1.2)
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
