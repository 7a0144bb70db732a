"""D17: exits with status 1."""

import sys

from correct import Player


class Bot(Player):
    def over(self, code):
        sys.exit("good game")

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
