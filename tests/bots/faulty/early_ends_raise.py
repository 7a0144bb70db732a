"""D12: raises on every early end."""

import sys

from correct import Player


class Bot(Player):
    def over(self, code):
        if code not in (201, 202, 203, 321, 322, 323, 324, 325, 326):
            raise ValueError(f"unknown move status code {code}")
        super().over(code)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
