"""D04: turns only the stones next to the move."""

import sys

from correct import Player, beside


class Bot(Player):
    def captured(self, side, point):
        near = beside(point)
        return [[stone for stone in group if stone in near] for group in super().captured(side, point)]


if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
