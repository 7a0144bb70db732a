"""An engine that speaks the Go Text Protocol and makes the given moves, or fails as MODE says.

    gtp_engine.py plays C3 PASS RESIGN      answers each genmove with the next word, and then repeats the last word
    gtp_engine.py MODE                      fails as MODE says

It writes every command to stderr.
"""

import os
import sys

KNOWN = """protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove
time_settings time_left set_free_handicap"""

mode, moves = sys.argv[1], sys.argv[2:]


def answer(id, text, sign="="):
    print(f"{sign}{id} {text}\n", flush=True)


def genmove(id):
    if mode == "plays":
        answer(id, moves.pop(0) if len(moves) > 1 else moves[0])
    elif mode == "illegal":
        answer(id, "A1")
    elif mode == "refuses":
        answer(id, "D3")
    elif mode == "garbage":
        answer(id, "the corner")
    elif mode == "error":
        answer(id, "cannot move", "?")
    elif mode == "other_id":
        answer(int(id) + 1, "D3")
    elif mode == "crash":
        os._exit(3)
    elif mode == "leave":
        os._exit(0)
    elif mode == "flood":
        while True:
            print("thinking", flush=True)
    elif mode == "endless":
        while True:
            print("thinking" * 1000, end="", flush=True)


def main():
    if mode == "banner":
        print("Welcome to this engine", flush=True)
    for line in sys.stdin:
        id, verb, *arguments = line.split()
        print(verb, *arguments, file=sys.stderr, flush=True)
        if verb == "list_commands":
            answer(id, KNOWN.replace(" ", "\n"))
        elif verb == "genmove":
            genmove(id)
        elif verb == "boardsize" and mode == "size":
            answer(id, "unacceptable size", "?")
        elif verb == "play" and mode == "refuses":
            answer(id, "illegal move", "?")
        elif verb == "clear_board" and mode == "deaf":
            pass
        elif verb == "clear_board" and mode == "early":
            os._exit(4)
        else:
            answer(id, "")
        if verb == "quit":
            break


main()
