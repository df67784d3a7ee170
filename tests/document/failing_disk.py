"""A failing disk, through SQLite's file layer; tests and packaging/torture use it."""

import ctypes
import os
import signal

POINTER, INT, LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
# sqlite3_io_methods: a version, then function pointers in this order.
WRITE, TRUNCATE, SYNC = 3, 4, 5
METHODS = 19
# sqlite3_vfs: xOpen follows version, size, path length, next, name, data; xDelete is next to it.
OPEN = 4
FULL, WRITE_ERROR, SYNC_ERROR, TRUNCATE_ERROR = 13, 778, 1034, 1546


class FailingDisk:
    """Counts writes and lets them fail (permanently in this process: fork first).

    Args:
        first, last: Which of the counted calls fail.
        kind: No space; half of the bytes written and then an I/O error; half of the bytes written
            and then ``kill -9``.
    """

    def __init__(self, first, last, kind):
        self.count = 0
        self.first, self.last, self.kind = first, last, kind
        self.kept = []
        self.patched = {}
        library = ctypes.CDLL(__import__("_sqlite3").__file__)
        library.sqlite3_vfs_find.restype = POINTER
        self.vfs = (POINTER * 16).from_address(library.sqlite3_vfs_find(None))
        kind_of_open = ctypes.CFUNCTYPE(INT, POINTER, POINTER, POINTER, INT, POINTER)
        really_open = kind_of_open(self.vfs[OPEN + 1])

        def open_file(vfs, name, file, flags, out):
            code = really_open(vfs, name, file, flags, out)
            methods = POINTER.from_address(file)
            if code == 0 and methods.value:
                methods.value = self.patch(methods.value)
            return code

        self.vfs[OPEN + 1] = self.keep(kind_of_open, open_file)

    def keep(self, kind, function):
        callback = kind(function)
        self.kept.append(callback)
        return ctypes.cast(callback, POINTER).value

    def fails(self):
        self.count += 1
        return self.first <= self.count <= self.last

    def patch(self, address):
        if address in self.patched:
            return ctypes.addressof(self.patched[address])
        table = (POINTER * METHODS)(*(POINTER * METHODS).from_address(address))
        kind_of_write = ctypes.CFUNCTYPE(INT, POINTER, POINTER, INT, LONG)
        kind_of_truncate = ctypes.CFUNCTYPE(INT, POINTER, LONG)
        kind_of_sync = ctypes.CFUNCTYPE(INT, POINTER, INT)
        really_write = kind_of_write(table[WRITE])
        really_truncate = kind_of_truncate(table[TRUNCATE])
        really_sync = kind_of_sync(table[SYNC])

        def write(file, data, amount, offset):
            if not self.fails():
                return really_write(file, data, amount, offset)
            if self.kind == "full":
                return FULL
            really_write(file, data, amount // 2, offset)
            self.die_at_limit()
            return WRITE_ERROR

        def truncate(file, size):
            if not self.fails():
                return really_truncate(file, size)
            self.die_at_limit()
            return TRUNCATE_ERROR

        def sync(file, flags):
            if not self.fails():
                return really_sync(file, flags)
            self.die_at_limit()
            return SYNC_ERROR

        table[WRITE] = self.keep(kind_of_write, write)
        table[TRUNCATE] = self.keep(kind_of_truncate, truncate)
        table[SYNC] = self.keep(kind_of_sync, sync)
        self.patched[address] = table
        return ctypes.addressof(table)

    def die_at_limit(self):
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
