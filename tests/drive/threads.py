# threads.py - three threads of one process and the lock of redis-py.
import threading
import time
import redis

r = redis.Redis()
def work():
    with r.lock("order:42", timeout=10):
        print("enter", flush=True)
        time.sleep(0.05)
        print("leave", flush=True)
ts = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in ts]
[t.join() for t in ts]
