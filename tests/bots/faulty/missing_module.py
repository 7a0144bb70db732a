"""D14: needs a package that is not installed."""

import sys

from correct import Player


import gothello_deep_learning


class Bot(Player):
    def choose(self):
        return gothello_deep_learning.choose(self.board)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
