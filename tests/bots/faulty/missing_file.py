"""D14: needs a file that does not exist."""

import sys

from correct import Player


class Bot(Player):
    def __init__(self, arguments):
        super().__init__(arguments)
        with open("weights.txt") as file:
            self.weights = file.read()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
