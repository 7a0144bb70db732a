"""D11: handles a win and a loss, but not a draw."""

import sys

from correct import Player


class Bot(Player):
    def over(self, code):
        if code in (203, 325, 326):
            raise RuntimeError("game terminated early")
        super().over(code)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
