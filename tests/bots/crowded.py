"""Runs out of time, or crashes, on a core that others use as well.

Arguments: the fault, the core, a directory of tokens or `-`, and then the arguments of a correct player. The bot shows
the fault only in games with a clock and, with a directory, only if it can take a token from there; otherwise it plays
correctly."""

import hashlib
import os
import sys
import threading
import time

from correct import Player


def takes_token(tokens):
    if tokens == "-":
        return True
    for token in os.listdir(tokens):
        try:
            os.remove(os.path.join(tokens, token))
            return True
        except FileNotFoundError:
            pass
    return False


def spin():
    # This call does not hold the interpreter's lock, so threads run at the same time.
    hashlib.pbkdf2_hmac("sha256", b"x", b"y", 2**31 - 1)


def spin_all(workers):
    for _ in range(8):
        workers()
    while True:
        time.sleep(1)


def fork():
    if os.fork() == 0:
        spin()


class Bot(Player):
    def choose(self):
        what, core, tokens = sys.argv[1:4]
        if self.own_time is None or not takes_token(tokens):
            return super().choose()
        try:
            os.sched_setaffinity(0, {int(core)})
        except PermissionError:
            pass  # A confined bot may not choose its core, and is started on the right one.
        if what == "starved":
            while time.process_time() < 60:
                pass
        elif what == "threads":
            spin_all(lambda: threading.Thread(target=spin, daemon=True).start())
        elif what == "forks":
            spin_all(fork)
        elif what == "crash":
            self.input.close()
            self.socket.close()
            before = time.process_time()
            while time.process_time() < before + 0.1:
                pass
            os._exit(1)


if __name__ == "__main__":
    Bot(sys.argv[4:]).run()
