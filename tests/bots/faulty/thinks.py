"""Sound: slow, but within its clock, and reports on stderr what it does."""

import sys
import time

from correct import Player


class Bot(Player):
    def choose(self):
        time.sleep(0.04)
        print("weights.txt: No such file or directory, using defaults", file=sys.stderr)
        print("Connection refused by the opening book, playing without", file=sys.stderr)
        print("x" * 3000, file=sys.stderr)
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
