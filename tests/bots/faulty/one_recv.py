"""D10: treats the result of one recv as one line."""

import sys

from correct import Player


class Bot(Player):
    def read(self):
        if not hasattr(self, "lines"):
            self.lines = []
        while not self.lines:
            data = self.socket.recv(1024).decode()
            if not data:
                return ""
            self.lines = data.strip().split("\r\n")
        return self.lines.pop(0)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
