"""D04: never turns stones over."""

import sys

from correct import Player


class Bot(Player):
    def captured(self, side, point):
        return []

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
