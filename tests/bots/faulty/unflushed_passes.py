"""D09: over pipes, flushes its moves but not its passes."""

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
