# locks.py - workers with known bugs, and their correct versions, in python3-redis.   Usage: locks.py KIND
# Each prints `enter` and `leave` around its critical section.
import sys
import time
import uuid
import redis

LEASE_MS = 2000
COMPARE_AND_DELETE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

r = redis.Redis(port=6379, decode_responses=True)
me = uuid.uuid4().hex 


def inside(seconds=0.05):
    print("enter", flush=True)
    time.sleep(seconds)
    print("leave", flush=True)


def wait_for(ask):
    while not ask():
        time.sleep(0.1)


def take():
    return r.set("lock", me, nx=True, px=LEASE_MS)


def nothing():                         # no lock at all
    inside()


def good():                            # released by its owner, with one request
    wait_for(take)
    inside()
    r.eval(COMPARE_AND_DELETE, 1, "lock", me)


def release_without_comparison():      # deletes whatever lock is there
    wait_for(take)
    inside(0.05)
    r.delete("lock")


def expiry_as_second_request():        # who dies in between leaves the lock for ever
    wait_for(lambda: r.setnx("lock", me))
    r.pexpire("lock", LEASE_MS)
    inside()
    r.eval(COMPARE_AND_DELETE, 1, "lock", me)


def work_beyond_the_lease():
    wait_for(take)
    inside(3)
    r.eval(COMPARE_AND_DELETE, 1, "lock", me)


def lease_from_the_answer():           # takes what is left of the lease from the answer on
    wait_for(take)
    until = time.monotonic() + LEASE_MS / 1000
    while time.monotonic() < until - 1:
        inside(1)
        break
    r.eval(COMPARE_AND_DELETE, 1, "lock", me)


def lease_from_the_request():          # corrected: from the request on, and gives up what is over
    while True:
        asked = time.monotonic()
        if take() and time.monotonic() < asked + LEASE_MS / 1000 - 1:
            break
        time.sleep(0.1)
    inside(1)
    r.eval(COMPARE_AND_DELETE, 1, "lock", me)


globals()[sys.argv[1]]()
