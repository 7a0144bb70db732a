"""D03: always plays white, regardless of its arguments."""

import sys

from correct import Player


class Bot(Player):
    def hello(self):
        self.say("0.9.1 player white")

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
