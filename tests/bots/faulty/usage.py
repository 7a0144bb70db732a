"""D03: requires options."""

import sys

from correct import Player


class Bot(Player):
    def __init__(self, arguments):
        if len(arguments) != 2:
            sys.exit("usage: usage.py SIDE HOST:PORT")
        super().__init__([arguments[0], *arguments[1].split(":")])

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
