"""D15: polls."""

import sys

from correct import Player


class Bot(Player):
    waiting = b""

    def connect(self):
        super().connect()
        self.socket.setblocking(False)

    def read(self):
        while b"\n" not in self.waiting:
            try:
                data = self.socket.recv(4096)
            except BlockingIOError:
                continue
            if not data:
                return ""
            self.waiting += data
        line, _, self.waiting = self.waiting.partition(b"\n")
        return line.decode()

    def say(self, line):
        self.socket.setblocking(True)
        super().say(line)
        self.socket.setblocking(False)


if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
