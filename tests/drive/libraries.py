# libraries.py - workers with redis-py's lock.   Usage: libraries.py KIND      Each kind's driver is the case of the same
# name in libraries_py.lua.
import sys
import time
import redis
from redis.exceptions import LockError, NoScriptError

r = redis.Redis(port=6379)


def inside(seconds):
    print("enter", flush=True)
    time.sleep(seconds)
    print("leave", flush=True)


def try_to(do):
    try:
        return do()
    except (LockError, NoScriptError):   # who is told twice that the script is unknown gives up
        return None


def extended(lock):
    if lock.acquire():
        inside(0.5)
        try_to(lambda: lock.extend(0.7))
        inside(0.5)
        try_to(lambda: lock.extend(2, replace_ttl=True))
        inside(0.5)
        try_to(lock.release)


def reacquired(lock):
    if lock.acquire():
        inside(0.5)
        try_to(lock.reacquire)
        lock.owned()
        inside(0.8)
        try_to(lock.release)


def impatient(lock):
    if lock.acquire(blocking_timeout=0.6):
        inside(1.2)
        try_to(lock.release)
    else:
        lock.locked()
        time.sleep(0.3)


for _ in range(2):
    globals()[sys.argv[1]](r.lock("order:42", timeout=1, sleep=0.25))
