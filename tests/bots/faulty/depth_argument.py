"""D03: requires a fourth argument."""

import sys

from correct import Player


class Bot(Player):
    def __init__(self, arguments):
        super().__init__(arguments)
        self.depth = int(arguments[3])

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
