"""D01: mistakes line 101 for a refusal."""

import sys

from correct import Player


class Bot(Player):
    def hello(self):
        super().hello()
        line = self.read()
        if not line.startswith("100 "):
            raise RuntimeError("the server does not want us: " + line.strip())

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
