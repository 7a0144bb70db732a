"""A bot that only passes, and misbehaves as MODE says.

Usage: misbehave.py MODE SIDE HOST PORT. If the environment variable READY is a port on localhost, some modes connect to it
during the game and send a process id. The modes `held` and `pinned` then wait until the test lets them continue. `pinned`
prints the CPUs on which it may run to stderr.
"""

import os
import signal
import socket
import subprocess
import sys

mode, side, host, port = sys.argv[1:5]


def tell_ready(pid=None):
    """Sends a process id to the waiting test, and returns the connection."""
    if "READY" not in os.environ:
        return None
    ready = socket.create_connection(("127.0.0.1", int(os.environ["READY"])))
    ready.sendall(f"{pid or os.getpid()}\n".encode())
    return ready


def wait_for_ever():
    while True:
        signal.pause()


if mode == "pinned":
    print(*sorted(os.sched_getaffinity(0)), file=sys.stderr)
if mode == "gone":
    print("nothing to see here", file=sys.stderr)
    sys.exit(0)
if mode == "gone-later":
    # This process exits first. Its child, which takes longer to start than this process takes to exit, ends a little
    # later.
    subprocess.Popen([sys.executable, "-c", "pass"])
    sys.exit(0)

referee = socket.create_connection((host, int(port)))
lines = referee.makefile("r", newline="\r\n")


def say(text):
    referee.sendall(text.encode() if isinstance(text, str) else text)


def pass_at(number):
    say(f"{number} pass\r" if side == "black" else f"{number} ... pass\r")


say(f"0.9.1 player {side}\r")

number = 1
mine = {"black": ("311", "313", "315", "317"), "white": ("312", "314", "316", "318")}[side]
for line in lines:
    code = line[:3]
    if code in ("351", "352"):
        ready = tell_ready() if mode in ("silent", "held", "pinned") else None
        if mode in ("held", "pinned") and ready:
            ready.recv(1)
    if code[0] == "2" and code not in ("200", "207", "291", "299") or code in ("391", "392", "361", "362", "327", "328"):
        break
    if code in mine:
        number += 1
    my_turn = code in ("352", "291", "299") or (code[:2] == "31" and code not in mine)
    if not my_turn:
        continue
    if mode == "silent":
        wait_for_ever()
    elif mode == "illegal":
        say(f"{number} a1\r" if side == "black" else f"{number} ... a1\r")
    elif mode == "binary":
        say(b"\x00\xff\xfe\x80" * 300 + b"\r")
    elif mode == "resign":
        say(f"{number} resign\r" if side == "black" else f"{number} ... resign\r")
    elif mode == "crash":
        print("division by zero in my evaluation", file=sys.stderr)
        sys.exit(3)
    elif mode == "litter" and number == 1:
        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        tell_ready(child.pid)
        pass_at(number)
    elif mode == "deaf" and number == 1:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        tell_ready()
        pass_at(number)
    elif mode == "spewing":
        for _ in range(200):
            sys.stderr.write("x" * 1_000_000)
        wait_for_ever()
    elif mode == "writing":
        # This fails if an earlier game has left the file behind.
        with open("games.txt", "x") as games:
            games.write("one game more\n")
        pass_at(number)
        mode = "pass"
    elif mode == "talkative":
        sys.stdout.write("stdout " * 100_000)
        sys.stderr.write("stderr " * 100_000)
        sys.stdout.flush()
        pass_at(number)
    else:
        pass_at(number)

if mode == "deaf":
    wait_for_ever()
