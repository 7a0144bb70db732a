"""D17: keeps reading after the end."""

import sys

from correct import Player


class Bot(Player):
    def over(self, code):
        self.finished = True

    def closed(self):
        raise ConnectionError("server closed the connection")

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
