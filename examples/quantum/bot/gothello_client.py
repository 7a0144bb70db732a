"""A player's side of the Gothello protocol. You do not have to change this file.

    client = Client("black", "localhost", 29068)    over TCP; a port from 0 to 29 is a server number
    client = Client("black")                        over stdin and stdout

    client.side            "black" or "white": the side that you play
    client.seat            1 or 2: the same as a number
    client.my_time         seconds left on your clock, rounded down; None without clocks
    client.opponent_time   the same for your opponent
    client.time_control    what your clock gives for each move: a TimeControl
    client.told            how many given moves, yours included, next() has yet to return, as in an opening
    client.next()          waits for your opponent; returns Move(point), Pass() or GameOver(result, text)
    client.play("c3")      makes your move; returns Accepted(), Refused(text) or GameOver(result, text)
    client.pass_()         passes; returns the same as play
    client.resign()        gives up; returns the same as play

Black moves first, so black starts with play() and white with next(). After Refused it is still your turn. However the
game ends, you receive a GameOver, and later calls return it again. Client raises an exception if there is no game:
OSError if nothing answers, and NoSeat if the server refuses.

In a game for four or six, the seats take turns in the order 1, 2, 3 ..., and a seat can drop out:

    client = Client("3", "localhost", 29068)    asks for seat 3

    client.side, client.seat    "3" and 3: the seat that you play
    client.out                  the seats that have dropped out, first to last; their turns are skipped
    client.next()               can also return Out(seat), when another seat drops out
"""

import os
import socket
import sys
from dataclasses import dataclass

VERSION = "0.9.2"
OLD_VERSION = "0.9.1"  # older servers refuse the newer version
FIRST_PORT = 29068  # the port of server number 0


@dataclass
class Move:
    point: str


@dataclass
class Pass:
    pass


@dataclass
class Out:
    seat: int


@dataclass
class Accepted:
    pass


@dataclass
class Refused:
    text: str


@dataclass
class GameOver:
    result: str  # "win", "loss", "draw" or "unknown"
    text: str  # the server's text


@dataclass
class TimeControl:
    """What the clock gives for each move, in seconds. Values that do not apply to your time control are 0."""

    move_time: float = 0  # for each move
    increment: float = 0  # added to your time after each move
    periods: float = 0  # the number of periods of byo-yomi
    period: float = 0  # the length of each


class NoSeat(Exception):
    """The server does not let us play."""


# The winner for each code: by a move or pass, by resignation, on time, and because the other player has left.
WINNER = {
    **{321: "black", 322: "white", 323: "white", 324: "black", 325: "nobody", 326: "nobody"},
    **{327: "black", 328: "white", 361: "black", 362: "white", 391: "white", 392: "black"},
}
# The replies to a move; 204 answers a resignation.
RESULT = {201: "win", 202: "loss", 203: "draw", 204: "loss"}


class Client:
    def __init__(self, side, host=None, port=0, name=""):
        """Connects, asks for `side` ("black", "white", "?" or a seat's number) and waits until the game starts."""
        self.side, self.seat, self.my_time, self.opponent_time = side, None, None, None
        self.out = []
        self.told = 0  # how many of the next moves, ours included, were made before we joined
        # The arena sets these variables for a bot that it starts; line 347 says the same.
        parts = ("MOVE_TIME", "INCREMENT", "PERIODS", "PERIOD")
        self.time_control = TimeControl(*(float(os.environ.get("GOTHELLO_" + part, 0)) for part in parts))
        self._seats, self._times = 2, []
        self._plies = self._own_plies = 0  # the moves of all players, and ours
        self._over = None
        quoted = ' "' + name[:31].replace('"', '""') + '"' if name else ""
        request = f"player {side}{quoted}"
        self._connect(host, port)
        code, text = self._ask(f"{VERSION} {request}")
        if code == 198 and host is not None:  # the server is older, and has closed the connection
            self._connect(host, port)
            code, text = self._ask(f"{OLD_VERSION} {request}")
        if 190 <= code <= 199:
            raise NoSeat(text)

    def _connect(self, host, port):
        self._unread = b""
        if host is None:
            self._receive, self._transmit = lambda: os.read(0, 4096), lambda data: os.write(1, data)
            sys.stdout = sys.stderr  # stdout belongs to the server: what you print goes to stderr
        else:
            connection = socket.create_connection((host, port if port >= 30 else FIRST_PORT + port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # send immediately: our clock is running
            self._receive, self._transmit = lambda: connection.recv(4096), connection.sendall

    def _ask(self, hello):
        """Answers the greeting, and returns the line that starts the game or refuses a seat."""
        while True:
            code, text = self._hear()
            if code == 0:
                self._send(hello)
            elif code in (351, 352, 354) or 190 <= code <= 199 or self._over:
                return code, text

    def next(self):
        while not self._over:
            code, text = self._hear()
            is_move = 311 <= code <= 318 or code in (331, 332)
            is_own = is_move and mover(code, text) == self.seat
            if is_move and (self.told or not is_own):  # our own moves are reported, too
                self.told = max(0, self.told - 1)
                self._plies += 1
                self._own_plies += is_own
                point = fields(text)[1]
                return Pass() if point == "pass" else Move(point)
            if code == 335 and not self._over:
                return Out(self.out[-1])
        return self._over

    def play(self, move):
        if not self._over:
            dots = "... " * (self.seat - 1)
            number = self._plies // 2 if self._seats == 2 else self._own_plies
            self._send(f"{number + 1} {dots}{move}")
        while not self._over:
            code, text = self._hear()
            if code in (200, 207):
                self._plies += 1
                self._own_plies += 1
                return Accepted()
            if code in (199, 291, 299):
                return Refused(text)
        return self._over

    def pass_(self):
        return self.play("pass")

    def resign(self):
        return self.play("resign")

    def _hear(self):
        """Reads the next line, notes the sides, clocks and end that it reports, and returns its code and text."""
        line = self._read_line()
        if line is None:
            self._over = GameOver("unknown", "the server closed the connection")
            return 999, ""
        code, text = int(line[:3]), line[3:].strip()
        if code in (351, 352):
            self._sit(1 if code == 352 else 2)
        elif code == 354:
            self._sit(int(fields(text)[0]))
        elif code == 345:  # the game, its number of seats, and our seat
            self._seats = int(fields(text)[1])
            self._sit(int(fields(text)[2]))
        elif code == 347:
            self.time_control = time_control(text, self.side)
        elif code == 349:
            self.told = int(fields(text)[0])
        elif code == 101:  # your own time comes first
            self.my_time, self.opponent_time = (int(word) for word in fields(text)[:2])
        elif code == 102:  # the time of each seat
            self._times = [int(word) for word in fields(text) if word.isdigit()]
        elif code == 207:
            self.my_time = int(fields(text)[0])
        elif code in (313, 314, 317, 318, 332):
            if mover(code, text) == self.seat:
                self.my_time = int(fields(text)[2])
            elif self._seats == 2:
                self.opponent_time = int(fields(text)[2])
        elif code in RESULT:
            self._over = GameOver(RESULT[code], text)
        elif code == 335:  # a seat drops out, and the others play on
            self.out.append(int(fields(text)[0]))
            if self.seat in self.out:
                self._over = GameOver("loss", text)
        elif code == 336:  # the place of each seat
            places = fields(text)[: self._seats]
            first = [seat for seat, place in enumerate(places, 1) if place == "1"]
            self._over = GameOver("loss" if self.seat not in first else "win" if len(first) == 1 else "draw", text)
        elif code in WINNER:
            winner = WINNER[code]
            self._over = GameOver({self.side: "win", "nobody": "draw"}.get(winner, "loss"), text)
        elif code // 10 == 39:
            self._over = GameOver("unknown", text)
        return code, text  # other codes, such as the names of players, need no answer

    def _sit(self, seat):
        self.seat = seat
        self.side = ("black", "white")[seat - 1] if self._seats == 2 else str(seat)
        if self._times:
            self.my_time = self._times[seat - 1]

    def _read_line(self):
        """The next line that begins with a code, or None at the end. A line may arrive in pieces or with others."""
        while True:
            line, end, rest = self._unread.replace(b"\n", b"\r").partition(b"\r")
            if end:
                self._unread = rest
                if line[:3].isdigit() and len(line) >= 3:
                    return line.decode("utf-8", "replace")
                continue
            try:
                data = self._receive()
            except OSError:
                data = b""
            if not data:
                return None
            self._unread += data

    def _send(self, line):
        try:
            self._transmit((line + "\r").encode())
        except OSError:
            pass  # the server is gone, but its last lines can still be read


def mover(code, text):
    """The seat whose move a line reports. In 311 to 318, odd codes are black's; above, the dots show the seat."""
    return text.split().count("...") + 1 if code in (331, 332) else 1 if code % 2 else 2


def time_control(text, side):
    """The time control of `side` in "60+1 is the time control", or in "black 600:5x30 white 1/move+60bank is ..."."""
    words = text.split()
    own = words[words.index(side) + 1] if side in words else words[0]
    if "/move" in own:
        return TimeControl(move_time=float(own.split("/move")[0]))  # the rest of the bank is in `my_time`
    if "+" in own:
        return TimeControl(increment=float(own.split("+")[1]))
    if ":" in own:
        periods, period = own.split(":")[1].split("x")
        return TimeControl(periods=float(periods), period=float(period))
    return TimeControl()


def fields(text):
    """The words of `text` without the dots before a move."""
    return [word for word in text.split() if word != "..."]
