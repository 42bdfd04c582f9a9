"""A lock over three servers, as Redlock's page describes it: most of them have to say yes. Its argument says what is
wrong with it: `first` is content with one of them."""
import sys
import time
import uuid

import redis

RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
PORTS = (6379, 6380, 6381)
LEASE_MS = 10000

enough = 1 if sys.argv[1:] == ["first"] else 2
servers = [redis.Redis(port=port) for port in PORTS]


def release(token):
    for server in servers:
        server.eval(RELEASE, 1, "order:42", token)


for tries in range(20):
    token = uuid.uuid4().hex
    began = time.monotonic()
    yes = [server.set("order:42", token, nx=True, px=LEASE_MS) for server in servers]
    left_ms = LEASE_MS - (time.monotonic() - began) * 1000
    if sum(map(bool, yes)) >= enough and left_ms > 0:
        print("enter", flush=True)
        print("leave", flush=True)
        release(token)
        break
    release(token)
    time.sleep(0.2 * (tries + 1))
