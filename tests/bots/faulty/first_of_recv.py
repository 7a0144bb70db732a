"""D10: takes the first line of what recv returns, with a pause that hides it."""

import sys

from correct import Player


class Bot(Player):
    def read(self):
        data = b""
        while not data.endswith(b"\n"):
            more = self.socket.recv(1024)
            if not more:
                return ""
            data += more
        return data.decode().splitlines()[-1]

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
