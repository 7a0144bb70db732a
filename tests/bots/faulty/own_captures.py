"""D04: turns only what it captures itself."""

import sys

from correct import Player


class Bot(Player):
    def captured(self, side, point):
        return super().captured(side, point) if side == self.side else []

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
