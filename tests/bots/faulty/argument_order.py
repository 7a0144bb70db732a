"""D03: takes the host first."""

import sys

from correct import Player


class Bot(Player):
    def __init__(self, arguments):
        host, side, server = arguments
        super().__init__([side, host, server])

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
