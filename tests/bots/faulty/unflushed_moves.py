"""D09: over pipes, flushes its hello but not its moves."""

import sys

from correct import Player


class Bot(Player):
    def connect(self):
        self.input = sys.stdin

    def hello(self):
        print("0.9.1 player", self.side, flush=True)

    def say(self, line):
        print(line)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
