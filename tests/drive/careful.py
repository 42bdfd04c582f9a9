# careful.py - redis-py's lock with a time-out of a second for each request: what becomes of a loss is the caller's.
import time
import redis
import redis.backoff
import redis.retry

# As the driver is: redis-py 6 sends again what was not answered, unless told otherwise.
r = redis.Redis(port=6379, socket_timeout=1, retry=redis.retry.Retry(redis.backoff.NoBackoff(), 0))


def try_to(do):
    try:
        return do()
    except (redis.exceptions.TimeoutError, redis.exceptions.LockError):
        return None


for _ in range(2):
    lock = r.lock("order:42", timeout=3, sleep=0.25)
    if try_to(lock.acquire):
        print("enter", flush=True)
        time.sleep(0.5)
        print("leave", flush=True)
        try_to(lock.release)
