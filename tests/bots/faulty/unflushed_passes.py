"""D09: flushes its moves, and not its passes. Over pipes."""

import sys

from correct import Player


class Bot(Player):
    def connect(self):
        self.input = sys.stdin

    def say(self, line):
        print(line)
        if "pass" not in line:
            sys.stdout.flush()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
