"""redis_py.py - the recordings of Debian's python3-redis: traces of its Lock on a virtual clock against `locksim serve --clock manual`, and cases of its
scripts, run by a real redis-server whose clock is held.
Usage: redis_py.py FOLDER        writes FOLDER/clients/redis-py-RELEASE/NAME.json and FOLDER/scripts/redis-py-RELEASE/NAME.jsonl

One thread of the program runs at a time, until it sleeps; then the clock moves to whoever is due next. A request goes out as the library words it."""
import hashlib
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path = [p for p in sys.path if "site-packages" not in p]
import redis  # noqa: E402
import redis.backoff  # noqa: E402
import redis.lock  # noqa: E402
import redis.retry  # noqa: E402

EPOCH_MS = 1700000000000
LISTENS_S = 20
ANSWER_MS = 3000                      # the socket's time-out of every client here
real_sleep, real_monotonic = time.sleep, time.monotonic
NAMES = {"release": redis.lock.Lock.LUA_RELEASE_SCRIPT, "extend": redis.lock.Lock.LUA_EXTEND_SCRIPT, "reacquire": redis.lock.Lock.LUA_REACQUIRE_SCRIPT}
SHAS = {hashlib.sha1(text.encode()).hexdigest(): name for name, text in NAMES.items()}

PROGRAMS = {
    "01_uncontended": {"words": "acquire, extend both ways, reacquire, release", "threads": [["C1", "0 acquire pylock:L lease=2000", "500 extend pylock:L n=1000",
        "600 extend pylock:L n=3000 replace=1", "700 reacquire pylock:L", "800 owned pylock:L", "900 release pylock:L", "950 locked pylock:L"]]},
    "02_waits": {"words": "a refused client asks again each 100 ms", "threads": [["C1", "0 acquire pylock:L lease=5000", "430 release pylock:L"],
        ["C2", "10 acquire pylock:L lease=5000", "900 release pylock:L"]]},
    "03_times_out": {"words": "blocking_timeout: it goes when the next try would come too late", "threads": [["C1", "0 acquire pylock:L lease=9000", "5000 release pylock:L"],
        ["C2", "10 acquire pylock:L lease=5000 wait=950 delay=300"]]},
    "04_once": {"words": "blocking=False", "threads": [["C1", "0 acquire pylock:L lease=5000", "2000 release pylock:L"], ["C2", "10 tryAcquire pylock:L lease=5000"]]},
    "05_too_late": {"words": "release, extend and reacquire of what is gone, and release of what is not held", "threads": [["C1", "0 acquire pylock:L lease=1000",
        "1500 extend pylock:L n=1000", "1600 reacquire pylock:L", "1700 owned pylock:L", "1800 release pylock:L", "1900 release pylock:L"]]},
    "06_no_lease": {"words": "a lock without an end: no extension", "threads": [["C1", "0 acquire pylock:L", "100 extend pylock:L n=1000", "200 release pylock:L"]]},
    "07_release_lost": {"words": "a release that got no answer cannot be tried again: the lock stays", "fates": ["release 1 1 lost"],
        "threads": [["C1", "0 acquire pylock:L lease=9000", "100 release pylock:L", "4000 release pylock:L"], ["C2", "5000 tryAcquire pylock:L lease=9000"]]},
    "08_acquire_late": {"words": "an acquire without an answer in time takes the lock for nobody", "fates": ["SET 1 1 late 4000"],
        "threads": [["C1", "0 acquire pylock:L lease=9000", "3500 owned pylock:L", "5000 release pylock:L"], ["C2", "6000 tryAcquire pylock:L lease=9000"]]},
    "09_cold": {"words": "a server that knows no script is given it by SCRIPT LOAD", "settings": ["cold"], "threads": [["C1", "0 acquire pylock:L lease=2000",
        "100 extend pylock:L n=1000", "200 release pylock:L"]]},
    "10_acquire_again": {"words": "an acquire without an answer: is it sent again, and what is the caller told of its own lock?", "fates": ["SET 1 1 late 4000"],
        "random": "max", "threads": [["C1", "0 tryAcquire pylock:L lease=60000", "20000 locked pylock:L"]]},
    "11_release_again": {"words": "a release without an answer", "fates": ["release 1 1 late 4000"], "random": "max",
        "threads": [["C1", "0 acquire pylock:L lease=60000", "100 release pylock:L", "20000 locked pylock:L"]]},
    "12_no_answer": {"words": "four requests without an answer, each later than the one before", "fates": ["GET 1 %d lost" % n for n in range(1, 5)], "random": "max",
        "threads": [["C1", "0 locked pylock:L"]]},
}


class Server:
    """One server on a unix socket of its own."""

    def __init__(self, real):
        self.folder = tempfile.mkdtemp(prefix="locksim-recordings.")
        self.socket, self.clock = os.path.join(self.folder, "s"), os.path.join(self.folder, "clock")
        build = os.environ.get("BUILD", "build")
        if real:
            program = os.path.join(self.folder, "redis-server")
            os.symlink(os.environ["REDIS_SERVER"], program)
            self.set_clock(EPOCH_MS)
            env = dict(os.environ, TZ="UTC", HELD_CLOCK=self.clock, LD_PRELOAD=os.path.abspath(os.path.join(build, "tests/conformance/held_clock.so")))
            words = [program, "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no", "--dir", self.folder, "--enable-debug-command", "yes",
                     "--jemalloc-bg-thread", "no"]
        else:
            env, words = None, [os.environ["LOCKSIM"], "serve", "--unix", self.socket, "--clock", "manual"]
        self.child = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = real_monotonic() + LISTENS_S
        while True:
            try:
                self.client = redis.Redis(unix_socket_path=self.socket)
                self.client.ping()
                break
            except redis.ConnectionError:
                if self.child.poll() is not None or real_monotonic() > end:
                    raise
                real_sleep(0.01)

    def set_clock(self, ms):
        with open(self.clock, "r+b" if os.path.exists(self.clock) else "wb") as f:
            f.write(struct.pack("<q", ms * 1000))

    def stop(self):
        self.client.close()
        self.child.terminate()
        self.child.wait()
        shutil.rmtree(self.folder)


class Run:
    def __init__(self, program, server):
        self.program, self.server, self.log, self.now_ms, self.tokens = program, server, [], 0, {}
        self.fates = [dict(zip(("part", "thread", "nth", "kind", "ms"), line.split() + ["0"]), met=0) for line in program["fates"]]
        self.waiting, self.turns = [], itertools.count()
        self.scheduler = threading.Semaphore(0)

    # ---- the clock: who sleeps hands over ----
    def sleep(self, ms):
        baton = threading.Semaphore(0)
        self.waiting.append((self.now_ms + ms, next(self.turns), baton))
        self.scheduler.release()
        baton.acquire()

    def schedule(self):
        while self.waiting:
            self.waiting.sort(key=lambda w: w[:2])
            at_ms, _, baton = self.waiting.pop(0)
            if at_ms > self.program["end_ms"]:
                return
            if at_ms > self.now_ms:
                self.server.client.execute_command("CLOCK", "ADVANCE", at_ms - self.now_ms)
                self.now_ms = at_ms
            baton.release()
            self.scheduler.acquire()

    # ---- words ----
    def word(self, value):
        text = value.decode("latin1") if isinstance(value, bytes) else str(value)
        return re.sub(r"\b[0-9a-f]{32}\b", lambda m: self.tokens.setdefault(m.group(), "t%d" % (len(self.tokens) + 1)), text)

    def row_of(self, client, words):
        if words[0] == "EVALSHA":
            keys = 3 + int(words[2])
            name = "redis_py/lock/%s.lua" % SHAS[words[1]]
            return {"client": client, "script": name, "keys": [self.word(w) for w in words[3:keys]], "argv": [self.word(w) for w in words[keys:]]}
        if words[0] == "SCRIPT LOAD":
            return {"client": client, "command": "SCRIPT LOAD", "script": "redis_py/lock/%s.lua" % SHAS[hashlib.sha1(words[1].encode()).hexdigest()]}
        return {"client": client, "command": words[0], "args": [self.word(w) for w in words[1:]]}

    def reply(self, value):
        if isinstance(value, Exception):
            return {"error": "NOSCRIPT"}
        return value if value is None or isinstance(value, int) else self.word(value)

    def note(self, row):
        self.log.append(dict({"at_ms": self.now_ms}, **row))

    # ---- a request: its fate, then the server ----
    def fate_of(self, thread, row):
        met = [f for f in self.fates if f["part"] in row.get("script", row.get("command")) and f["thread"] == str(thread)]
        for f in met:
            f["met"] += 1
        return next(((f["kind"], int(f["ms"])) for f in met if f["met"] == int(f["nth"])), (None, 0))

    def send(self, thread, client, words, execute):
        row = self.row_of(client, words)
        kind, ms = self.fate_of(thread, row)
        if kind == "lost":
            self.note(row)
            self.sleep(ANSWER_MS)
            raise redis.TimeoutError("no answer")
        try:
            answer, raw = execute()
        except redis.exceptions.NoScriptError as error:
            self.note(dict(row, reply=self.reply(error)))
            raise
        self.note(row if words[0] == "SCRIPT LOAD" else dict(row, reply=self.reply(raw)))
        if kind == "late":
            self.sleep(min(ms, ANSWER_MS))
            if ms > ANSWER_MS:
                raise redis.TimeoutError("no answer")
        return answer


def client_of(run, thread, name):
    """The library's client, whose requests go through the run, each as often as the client sends it."""
    class Client(redis.Redis):
        raw = None

        def parse_response(self, connection, command_name, **options):
            response = connection.read_response()
            self.raw = response
            options.pop("keys", None)
            callback = self.response_callbacks.get(command_name)
            return callback(response, **options) if callback else response

        def _send_command_parse_response(self, connection, command_name, *words, **options):
            def execute():
                answer = super(Client, self)._send_command_parse_response(connection, command_name, *words, **options)
                return answer, self.raw
            return run.send(thread, name, list(words), execute)
    return Client(unix_socket_path=run.server.socket)


def retries_of(client):
    """How often the client sends a request again, unless told otherwise: not at all, up to release 5."""
    return client.get_retry().get_retries() if hasattr(client, "get_retry") and client.get_retry() else 0


def call(lock, what, values):
    if what == "acquire":
        return "returned" if lock.acquire() else "false"
    if what == "tryAcquire":
        return str(lock.acquire(blocking=False)).lower()
    if what == "extend":
        lock.extend(values["n"] / 1000, replace_ttl=bool(values.get("replace")))
        return "returned"
    if what in ("locked", "owned"):
        return str(getattr(lock, what)()).lower()
    getattr(lock, what)()
    return "returned"


def why(error):
    if isinstance(error, redis.exceptions.LockNotOwnedError):
        return "not owner"
    if isinstance(error, redis.TimeoutError):
        return "timeout"
    if isinstance(error, redis.exceptions.LockError):
        return "no lease" if "timeout" in str(error) else "not held"
    raise error


def follow(run, number, name, steps):
    client, locks = client_of(run, number, name), {}
    run.sleep(0)
    for text in steps:
        at, what, thing, *rest = text.split()
        if int(at) > run.now_ms:
            run.sleep(int(at) - run.now_ms)
        values = {k: int(v) for k, v in (part.split("=") for part in rest)}
        if thing not in locks:
            seconds = {k: values[w] / 1000 for k, w in (("timeout", "lease"), ("sleep", "delay"), ("blocking_timeout", "wait")) if w in values}
            locks[thing] = client.lock(thing.split(":")[1], **seconds)
        run.note({"client": name, "call": " ".join([what, thing] + rest)})
        try:
            told = call(locks[thing], what, values)
        except redis.RedisError as error:
            told = why(error)
        run.note({"client": name, "told": told})
    run.scheduler.release()


def record_client(folder, title, given, server):
    retries = " retries=%d" % retries_of(server.client) if retries_of(server.client) else ""
    threads = [{"thread": i + 1, "client": t[0], "steps": [t[1] + retries] + t[2:]} for i, t in enumerate(given["threads"])]
    program = {"words": given["words"], "servers": 1, "threads": threads, "events": [], "fates": given.get("fates", []), "settings": given.get("settings", []),
               "random": given.get("random", "min"), "end_ms": 30000}
    server.client.flushall()
    server.client.script_flush()
    server.client.execute_command("CLOCK", "SET", EPOCH_MS)
    if "cold" not in program["settings"]:
        for text in NAMES.values():
            server.client.script_load(text)
    run = Run(program, server)

    class Clock:
        @staticmethod
        def monotonic():
            return run.now_ms / 1000

        @staticmethod
        def sleep(seconds):
            run.sleep(round(seconds * 1000))

    class Draws:
        @staticmethod
        def random():
            return 0 if program["random"] == "min" else 1 - 2 ** -53
    redis.lock.mod_time, redis.retry.sleep, redis.backoff.random = Clock, Clock.sleep, Draws
    for t in program["threads"]:
        threading.Thread(target=follow, args=(run, t["thread"], t["client"], t["steps"]), daemon=True).start()
        run.scheduler.acquire()                       # until it sleeps for the first time
    run.schedule()
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in run.log)
    header = json.dumps({"library": "redis-py", "release": redis.__version__}, separators=(",", ":"))
    with open(os.path.join(folder, title + ".json"), "w") as f:
        f.write("%s,\n\"program\":%s,\n\"log\":[\n%s\n]}\n" % (header[:-1], json.dumps(program, separators=(",", ":")), rows))


# ---- scripts ----

DUMP = """
local all = {} local names = redis.call('keys', '*') table.sort(names)
for i, name in ipairs(names) do
  local kind, value = redis.call('type', name).ok, redis.call('type', name).ok == 'string' and redis.call('get', name)
  if kind == 'list' then value = redis.call('lrange', name, 0, -1) elseif kind == 'hash' then value = redis.call('hgetall', name) end
  all[i] = { name, kind, value, redis.call('pttl', name) }
end return all"""

STATES = [(False, []), (False, [["set", "x", "a", "px", "500"]]), (False, [["set", "x", "a", "px", "5000"]]), (False, [["set", "x", "b", "px", "500"]]),
          (False, [["set", "x", "a"]]), (True, [["rpush", "x", "a"]]), (True, [["hset", "x", "a", "1"]])]
ARGV = {
    "release": [(False, ["a"])],
    "extend": [(False, ["a", "1000", "0"]), (False, ["a", "1000", "1"]), (False, ["a", "1", "0"]), (False, ["a", "-100", "0"]), (False, ["a", "-1000", "0"]),
               (True, ["a", "soon", "0"]), (True, ["a", "soon", "1"]), (True, ["a", "1.5", "1"]), (True, ["a", "1.5", "0"])],
    "reacquire": [(False, ["a", "1000"]), (False, ["a", "1"]), (True, ["a", "0"]), (True, ["a", "soon"])],
}
WORDS = {"release": ["token"], "extend": ["token", "milliseconds", "replace"], "reacquire": ["token", "lease"]}
KINDS = re.compile(r"attempt to (compare|concatenate|index|call|perform arithmetic|get length)|bad argument")


def reply_of(client, words):
    try:
        value = client.execute_command(*words)
    except redis.ResponseError as error:
        text = re.sub(r" script: [0-9a-f]{40}.*$", "", "ERR " + str(error) if not re.match(r"[A-Z]+ ", str(error)) else str(error))
        ran = re.match(r"ERR user_script:\d+: (.*)$", text)
        kind = ran and KINDS.match(ran.group(1))
        return {"error": "ERR user_script: " + (kind.group() if kind else ran.group(1)) if ran else text}
    return {"nil": True} if value is None else {"int": value} if isinstance(value, int) else {"bulk": value.decode()}


def key_of(item):
    name, kind, value, pttl = (part.decode() if isinstance(part, bytes) else part for part in item)
    texts = [part.decode() for part in value] if isinstance(value, list) else value
    return {"key": name, "type": kind, "value": dict(zip(texts[::2], texts[1::2])) if kind == "hash" else texts, "pttl": pttl}


def record_script(folder, name, server):
    rows = []
    for (odd, state), pause, (odd_words, argv) in itertools.product(STATES, (None, "0.5", "0.501"), ARGV[name]):
        server.set_clock(EPOCH_MS)
        server.client.execute_command("FLUSHALL")
        before = state + ([["debug", "sleep", pause]] if pause else [])
        for command in before:
            server.client.execute_command(" ".join(command[:2]) if command[0] == "debug" else command[0], *command[2 if command[0] == "debug" else 1:])
        row = {"now_ms": EPOCH_MS, "before": before, "keys": ["x"], "argv": argv, "reply": reply_of(server.client, ["EVAL", NAMES[name], 1, "x"] + argv),
               "after": [key_of(item) for item in server.client.execute_command("EVAL", DUMP, 0)], "messages": []}
        rows.append(dict(row, malformed=True) if odd or odd_words else row)
    header = {"library": "redis-py", "release": redis.__version__, "class": "Lock", "method": "do_" + name, "sha1": hashlib.sha1(NAMES[name].encode()).hexdigest(),
              "script": "redis_py/lock/" + name, "keys": ["lock"], "argv": WORDS[name], "malformed": sum("malformed" in row for row in rows), "cases": len(rows)}
    with open(os.path.join(folder, "lock.%s.jsonl" % name), "w") as f:
        f.write("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in [header] + rows))


def main(folder):
    places = [os.path.join(folder, kind, "redis-py-" + redis.__version__) for kind in ("clients", "scripts")]
    for place in places:
        os.makedirs(place)
    server = Server(real=False)
    for title, given in PROGRAMS.items():
        record_client(places[0], title, given, server)
    server.stop()
    server = Server(real=True)
    for name in NAMES:
        record_script(places[1], name, server)
    server.stop()


main(sys.argv[1])
os._exit(0)                           # threads that wait for ever do not keep it
