"""A bot that only passes, after it has shared work and memory among processes in every way that `multiprocessing` offers.
Usage: python3 pooled.py SIDE"""

import multiprocessing
import socket
import sys
from multiprocessing import shared_memory


def square(number):
    return number * number


def count(value, queue, name):
    with value.get_lock():
        value.value += 1
    shared = shared_memory.SharedMemory(name)
    shared.buf[0] = 7
    shared.close()
    queue.put("done")


def share():
    with multiprocessing.Pool(4) as pool:
        assert pool.map(square, range(1000)) == [number * number for number in range(1000)]
    value, queue = multiprocessing.Value("i", 0), multiprocessing.Queue()
    array = multiprocessing.Array("d", 1 << 18)
    shared = shared_memory.SharedMemory(create=True, size=4 << 20)
    workers = [multiprocessing.Process(target=count, args=(value, queue, shared.name)) for _ in range(3)]
    for worker in workers:
        worker.start()
    assert [queue.get() for _ in workers] == ["done"] * 3
    for worker in workers:
        worker.join()
    assert value.value == 3 and shared.buf[0] == 7 and len(array) == 1 << 18
    shared.close()
    shared.unlink()


def play(side):
    black, number = side == "black", 1
    referee = socket.create_connection(("localhost", 29068))
    referee.sendall(f"0.9.1 player {side}\r\n".encode())
    for line in referee.makefile():
        code = int(line[:3]) if line[:3].isdigit() else 0
        moved = 311 <= code <= 318
        mine = moved and (code % 2 == 1) == black
        number += mine
        if code == 352 or (moved and not mine):
            referee.sendall((f"{number} pass\r\n" if black else f"{number} ... pass\r\n").encode())


if __name__ == "__main__":
    share()
    play(sys.argv[1])
