# lock.py - a worker with redis-py's own lock.   Usage: lock.py [ROUNDS]
import sys
import time
import redis

r = redis.Redis(port=6379)
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
    with r.lock("order:42", timeout=10):
        print("enter", flush=True)
        time.sleep(0.05)
        print("leave", flush=True)
