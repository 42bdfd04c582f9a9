"""busy.py - what clients are told while a script runs long, while the server is paused, and when libraries of functions
are dumped and restored, by a real server and by `locksim serve` in the same dialect: every answer in the same order,
byte for byte. (Not compared: how a dump writes a text that can be compressed.) Usage: busy.py SERVER LOCKSIM
(from busy.sh). Its last line is `N passed, N failed`."""
import os
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time

BUSY_MS = 100


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.kept = b""

    def send(self, *words):
        words = [w if isinstance(w, bytes) else w.encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))

    def line(self):
        while b"\r\n" not in self.kept:
            self.more()
        line, self.kept = self.kept.split(b"\r\n", 1)
        return line + b"\r\n"

    def more(self):
        if not select.select([self.socket], [], [], 120)[0]:
            raise TimeoutError("no answer for two minutes")
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError
        self.kept += piece

    def answer(self):
        """One whole answer, or <closed>."""
        try:
            line = self.line()
            count = int(line[1:-2]) if line[:1] in b"*$%~>" else 0
            if line[:1] == b"$" and count >= 0:
                while len(self.kept) < count + 2:
                    self.more()
                line, self.kept = line + self.kept[:count + 2], self.kept[count + 2:]
            elif line[:1] in b"*~>":
                line += b"".join(self.answer() for _ in range(count))
            elif line[:1] == b"%":
                line += b"".join(self.answer() for _ in range(2 * count))
            return line
        except (EOFError, ConnectionError):
            return b"<closed>"

    def silent(self):
        return b"" if self.kept == b"" and not select.select([self.socket], [], [], 0)[0] else b"<said something>"

    def ask(self, *words):
        self.send(*words)
        return self.answer()


class Story:
    """The answers of one server, each with what was asked."""

    def __init__(self, command, folder):
        self.path = os.path.join(folder, "s")
        self.log = open(os.path.join(folder, "log"), "wb")
        self.process = subprocess.Popen(command + [self.path], stdout=self.log, stderr=subprocess.STDOUT)
        self.told = []
        while True:
            try:
                self.probe = self.connect()
                break
            except OSError:
                if self.process.poll() is not None:
                    sys.exit("busy.py: the server did not start: " + " ".join(command))
                time.sleep(0.02)

    def connect(self):
        return Connection(self.path)

    def note(self, what, answer):
        answer = re.sub(rb"duration_ms\r\n:\d+", b"duration_ms\r\n:N", answer)
        answer = re.sub(rb"\$2\r\nid\r\n:\d+", b"$2\r\nid\r\n:N", answer)
        answer = re.sub(rb"\$7\r\nversion\r\n\$\d+\r\n[0-9.]+", b"version", answer)
        self.told.append((what, answer))

    def ask(self, connection, *words):
        self.note(" ".join(words), connection.ask(*words))

    def wait_busy(self):
        while not self.probe.ask("get", "k").startswith(b"-BUSY"):
            time.sleep(0.02)

    def wait_idle(self):
        while self.probe.ask("get", "k").startswith(b"-BUSY"):
            time.sleep(0.02)

    def wait_blocked(self, count):
        while b"blocked_clients:%d\r" % count not in self.probe.ask("info", "clients"):
            time.sleep(0.02)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


ENDLESS = "while true do end"
WHILE_BUSY = """ping|get k|nosuch|get|select 0|client id x|client list|function stats|script kill x|script exists x
script nosuch|multi|get x|exec|discard|multi|discard|watch a|unwatch|reset|hello|auth x|auth x y|shutdown|shutdown save
shutdown abort|function kill|eval return.1 0|evalsha x 0|config get maxmemory|monitor|subscribe z|publish z m
command count|client reply on|client setname q|client getname|client getredir|client no-evict on|client nosuch|script load x
function list|exec|quit"""


def a_script_that_runs_long(t):
    a, b, hearer, pubsub = t.connect(), t.connect(), t.connect(), t.connect()
    t.ask(b, "config", "set", "busy-reply-threshold", str(BUSY_MS))
    hearer.ask("subscribe", "c")
    queued = t.connect()
    queued.ask("multi")
    queued.ask("set", "x", "1")
    a.send("eval", "redis.call('publish', 'c', 'm') " + ENDLESS, "0")
    a.send("ping")
    t.wait_busy()
    t.note("what it published is there", hearer.answer())
    for line in re.split(r"[|\n]", WHILE_BUSY):
        t.ask(b, *[w.replace(".", " ") for w in line.split()])
    b = t.connect()
    t.ask(b, "ping")
    t.ask(hearer, "ping")
    t.ask(hearer, "get", "k")
    t.ask(queued, "exec")
    t.ask(queued, "exec")
    t.ask(queued, "discard")
    pubsub.socket.sendall(b"*x\r\n")
    t.note("garbage", pubsub.answer())
    t.note("and it is closed", pubsub.answer())
    t.ask(b, "script", "kill")
    t.note("the script's answer", a.answer())
    t.note("and of what was behind it", a.answer())
    t.ask(b, "script", "kill")
    t.ask(b, "function", "kill")
    t.ask(b, "function", "stats")


def what_a_kill_meets(t):
    a, b = t.connect(), t.connect()
    b.ask("config", "set", "busy-reply-threshold", str(BUSY_MS))
    for script in ("\nlocal ok, e = pcall(function() while true do end end) return 'caught'",
                   "local ok, e = pcall(function() while true do end end)\nreturn 'caught'",
                   "while true do pcall(function() while true do end end) end",
                   "return {coroutine and 1, 2, (function() while true do end end)()}",
                   "#!lua\nlocal i = 0 while true do\n i = i + 1\n end"):
        a.send("eval", script, "0")
        t.wait_busy()
        t.ask(b, "script", "kill")
        t.note(script, a.answer())


def after_a_write(first):
    """There is no way out but to wait, or SHUTDOWN NOSAVE."""
    def story(t):
        a, b = t.connect(), t.connect()
        b.ask("config", "set", "busy-reply-threshold", str(BUSY_MS))
        a.send("eval", first + " " + ENDLESS, "0")
        t.wait_busy()
        for words in (("script", "kill"), ("function", "kill"), ("get", "w"), ("shutdown",), ("shutdown", "nosave")):
            t.ask(b, *words)
        t.note("the script's client", a.answer())
    story.__name__ = first
    return story


def it_ends_by_itself(t):
    a, b = t.connect(), t.connect()
    b.ask("config", "set", "busy-reply-threshold", str(BUSY_MS))
    a.send("eval", "redis.call('set', 'w', '1') local i = 0 while i < 100000000 do i = i + 1 end return i", "0")
    t.wait_busy()
    t.ask(b, "script", "kill")
    t.note("its answer", a.answer())
    t.ask(b, "get", "w")


def functions(t):
    a, b = t.connect(), t.connect()
    t.ask(b, "config", "set", "lua-time-limit", str(BUSY_MS))
    t.ask(b, "function", "load", "#!lua name=l\nlocal n = 0\nredis.register_function('f', function(keys, args) n = n + 1\n"
          " if args[1] == 'n' then return n end\n while true do end end)")
    a.send("fcall", "f", "0", "arg")
    t.wait_busy()
    for words in (("get", "k"), ("script", "kill"), ("function", "stats"), ("shutdown",), ("function", "kill")):
        t.ask(b, *words)
    t.note("the function's answer", a.answer())
    t.ask(a, "fcall", "f", "0", "n")
    t.ask(b, "script", "kill")


def transactions_and_who_goes(t):
    a, b = t.connect(), t.connect()
    b.ask("config", "set", "busy-reply-threshold", str(BUSY_MS))
    for words in (("multi",), ("set", "q", "1"), ("eval", ENDLESS, "0"), ("get", "q")):
        t.ask(a, *words)
    a.send("exec")
    t.wait_busy()
    t.ask(b, "get", "q")
    t.ask(b, "script", "kill")
    t.note("exec", a.answer())
    a.send("eval", ENDLESS, "0")
    t.wait_busy()
    a.socket.close()
    t.ask(b, "get", "q")
    t.ask(b, "script", "kill")
    t.wait_idle()
    t.ask(b, "get", "q")
    for words in (("config", "set", "busy-reply-threshold", "0"), ("config", "get", "busy-reply-threshold"),
                  ("config", "get", "*time-limit"), ("config", "set", "lua-time-limit", "-1"),
                  ("config", "set", "lua-time-limit", "x")):
        t.ask(b, *words)
    b.ask("config", "set", "lua-time-limit", str(BUSY_MS))
    a = t.connect()
    a.send("eval", ENDLESS, "0")
    t.wait_busy()
    b.send("shutdown", "nosave")
    t.note("shutdown nosave", b.answer())
    t.note("the script's client", a.answer())


def pauses_of_writes(t):
    a = t.connect()
    for words in ("client pause", "client pause x", "client pause -1", "client pause 1 y", "client pause x y",
                  "client pause 1 write z", "client pause 1.5", "client pause 0", "client unpause x", "client unpause"):
        t.ask(a, *words.split())
        a.ask("client", "unpause")
    a.ask("set", "k", "1")
    a.ask("set", "n", "5")
    a.ask("function", "load", "#!lua name=l\nredis.register_function{function_name='r', callback=function() return 1 end, "
          "flags={'no-writes'}}\nredis.register_function('w', function() return 2 end)")
    quiet = a.ask("script", "load", "#!lua flags=no-writes\nreturn 3").split(b"\r\n")[1].decode()
    a.ask("set", "gone", "v", "px", "1")
    t.ask(a, "client", "pause", "600000", "write")
    time.sleep(0.02)
    for words in ("get gone", "exists gone", "dbsize", "keys g*", "ping", "get k", "set k", "nosuch", "exists k",
                  "config set maxmemory 0", "script exists x", "fcall_ro x 0", "fcall r 0", "evalsha " + quiet + " 0",
                  "wait 0 0", "multi", "get n", "exec", "subscribe c", "unsubscribe c"):
        t.ask(a, *words.split())
    for words in (("eval_ro", "return 1", "0"), ("eval", "#!lua flags=no-writes\nreturn 1", "0"),
                  ("script", "load", "return 1"), ("sort_ro", "none"), ("script", "flush")):
        t.ask(a, *words)
    waiting = []
    for words in ("lpush l 1", "incr n", "eval return.1 0", "evalsha 0123456789012345678901234567890123456789 0",
                  "fcall w 0", "fcall none 0", "publish c m", "spublish c m", "sort none", "getex k", "lpop l",
                  "function delete none", "set k 2", "del k", "swapdb 0 1"):
        c = t.connect()
        c.send(*[w.replace(".", " ") for w in words.split()] if "eval" in words else words.split())
        t.wait_blocked(len(waiting) + 1)
        waiting.append((words, c))
    in_multi = t.connect()
    t.ask(in_multi, "multi")
    t.ask(in_multi, "get", "n")
    in_multi.send("set", "z", "1")
    t.wait_blocked(len(waiting) + 1)
    goes = t.connect()
    goes.send("set", "never", "1")
    t.wait_blocked(len(waiting) + 2)
    goes.socket.close()
    t.wait_blocked(len(waiting) + 1)
    behind = t.connect()
    behind.send("incr", "n")
    behind.send("get", "n")
    behind.send("incr", "n")
    t.wait_blocked(len(waiting) + 2)
    for words, c in waiting:
        t.note(words + " waits", c.silent())
    t.ask(a, "client", "unpause")
    for words, c in waiting:
        t.note(words, c.answer())
    t.note("set in multi", in_multi.answer())
    t.ask(in_multi, "exec")
    for _ in range(3):
        t.note("one behind the other", behind.answer())
    for words in ("get n", "exists never", "dbsize"):
        t.ask(a, *words.split())


def pauses_of_all(t):
    a, b, c, d, e = (t.connect() for _ in range(5))
    t.ask(a, "client", "pause", "700")
    d.send("append", "order", "d")
    time.sleep(0.1)
    e.send("append", "order", "e")
    e.send("nosuch")
    b.send("ping")
    c.send("client", "unpause")
    e.send("set")
    time.sleep(0.1)
    for name, one in zip("bcde", (b, c, d, e)):
        t.note(name + " waits", one.silent())
    for name, one in zip("bcdeee", (b, c, d, e, e, e)):
        t.note(name, one.answer())
    t.ask(b, "get", "order")
    # A later one makes it longer and stricter, never the reverse.
    for words in ("multi", "client pause 600000 write", "client pause 1 write", "exec"):
        t.ask(a, *words.split())
    b.send("incr", "n")
    t.wait_blocked(1)
    time.sleep(0.1)
    t.note("the longer pause counts", b.silent())
    t.ask(a, "client", "unpause")
    t.note("incr", b.answer())
    for words in ("multi", "client pause 500 all", "client pause 1 write", "set k in-the-transaction", "exec"):
        t.ask(a, *words.split())
    b.send("get", "k")
    time.sleep(0.1)
    t.note("the stricter pause counts", b.silent())
    t.note("get", b.answer())
    t.ask(a, "client", "pause", "600000", "write")
    t.ask(b, "get", "k")
    a.ask("client", "unpause")
    # Who waits for an element is sent away at its time. It waits before the pause begins: of a pop that comes during one,
    # Debian 13's servers (redis 8.0.2-3+deb13u3, valkey 8.1.1+dfsg1-3+deb13u3) forget the time-out, and never answer it.
    b.send("blpop", "q", "1")
    t.wait_blocked(1)
    a.send("client", "pause", "1500", "all")
    t.note("pause", a.answer())
    t.note("blpop", b.answer())


def crc64(text):
    crc = 0
    for byte in text:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x95AC9329AC4BC9B5 if crc & 1 else 0)
    return crc


LIBRARY = b"#!lua name=a\nredis.register_function('f', function() return 1 end)"
ITS_FUNCTION_TOO = LIBRARY.replace(b"name=a", b"name=b")
# As real servers wrote it: 15 bytes, 20 times the same comment, a function g.
COMPRESSED = (b"\xc3@kB\xd8\x1f#!lua name=big\n-- a comment that\x0e repeats itself\xe0\xff \xe1\xff\x07\xe1[\x07\x1c"
              b"redis.register_function('g', \xe0\x00\r\x00)\"\xa9\nturn 1 end)")


def text(plain):
    return (bytes([len(plain)]) if len(plain) < 64 else bytes([0x40 | len(plain) >> 8, len(plain) & 255])) + plain


def dumps_and_restores(t):
    a = t.connect()
    empty = a.ask("function", "dump")
    t.note("dump of nothing", empty)
    own = struct.unpack("<H", empty.split(b"\r\n", 1)[1][:2])[0]

    def restore(what, body, *policy, version=own, more=b""):
        payload = body + struct.pack("<H", version)
        payload += struct.pack("<Q", crc64(payload)) + more
        t.note(what, a.ask("function", "restore", payload, *policy))

    def whole(plain):
        return b"\xf5" + text(plain)

    restore("one library", whole(LIBRARY))
    t.ask(a, "function", "list", "withcode")
    for policy in ((), ("append",), ("REPLACE",), ("flush",), ("x",), ("flush", "x")):
        restore("it is there: " + " ".join(policy), whole(LIBRARY), *policy)
    for version in (5, 10, 11, 12, 13, 79, 80, 81, 0xFFFF):
        restore("version %d" % version, whole(LIBRARY), "flush", version=version)
    for words in (("function", "restore"), ("function", "restore", ""), ("function", "restore", "junk"),
                  ("function", "restore", "junk", "x"), ("function", "dump", "x"),
                  ("eval", "return redis.call('function', 'dump')", "0")):
        t.ask(a, *words)
    restore("a wrong sum", whole(LIBRARY), more=b"x")
    restore("another type", b"\x00" + text(LIBRARY))
    restore("an early format", b"\xf6" + text(LIBRARY))
    restore("no text", b"\xf5", "flush")
    restore("a text that ends too soon", whole(b"#!lua name=b\nreturn return"))
    restore("no function", whole(b"#!lua name=b\nreturn"))
    restore("no first line", whole(b"return"))
    restore("a library that fails", whole(b"#!lua name=b\nlocal x = nil + 1"))
    restore("a function of another library", whole(ITS_FUNCTION_TOO))
    restore("even so", whole(ITS_FUNCTION_TOO), "replace")
    restore("twice", whole(LIBRARY) * 2, "flush")
    restore("its function twice", whole(LIBRARY) + whole(ITS_FUNCTION_TOO), "flush")
    t.ask(a, "function", "list")
    restore("nothing", b"", "append")
    t.ask(a, "fcall", "f", "0")
    restore("a compressed text", b"\xf5" + COMPRESSED)
    t.ask(a, "function", "list", "libraryname", "b*", "withcode")      # several come in the order of a hash table
    t.ask(a, "fcall", "g", "0")
    restore("a compressed text that is cut off", b"\xf5" + COMPRESSED[:40], "flush")
    restore("nothing, and all others go", b"", "flush")
    t.ask(a, "function", "list")


STORIES = (a_script_that_runs_long, what_a_kill_meets, after_a_write("redis.call('set', 'w', '1')"),
           after_a_write("redis.pcall('lpush', 'w', '1')"), after_a_write("redis.call('pexpire', 'none', '1')"),
           after_a_write("redis.call('set', 'w', '1') redis.pcall('lpush', 'w', '1')"), it_ends_by_itself, functions,
           transactions_and_who_goes, pauses_of_writes, pauses_of_all, dumps_and_restores)


def play(command, story):
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="locksim-busy.") as folder:
        t = Story(command, folder)
        try:
            story(t)
        finally:
            t.end()
        return t.told


def dialect_of(server):
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="locksim-busy.") as folder:
        t = Story(server, folder)
        info = t.probe.ask("info", "server").decode()
        t.end()
    valkey = re.search(r"valkey_version:(\d+\.\d+)", info)
    return "valkey " + valkey[1] if valkey else "redis " + re.search(r"redis_version:(\d+\.\d+)", info)[1]


def main():
    server = [sys.argv[1], "--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"]
    dialect = dialect_of(server)
    ours = [sys.argv[2], "serve", "--dialect", dialect, "--unix"]
    passed = failed = 0
    for story in STORIES:
        theirs, said = play(server, story), play(ours, story)
        for i in range(max(len(theirs), len(said))):
            one, other = (x[i] if i < len(x) else ("nothing", b"") for x in (theirs, said))
            if one == other:
                passed += 1
                continue
            failed += 1
            print("FAIL busy: %s: %s\n  real     %r\n  locksim  %r" % (story.__name__, one[0], one[1], other[1]))
    print("busy: %d answers compared with %s" % (passed + failed, dialect))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
