# careful_aio.py - careful.py over asyncio: redis-py's other lock, which the same driver stands for.
import asyncio
import redis.asyncio as redis
from redis.exceptions import LockError, TimeoutError


async def try_to(doing):
    try:
        return await doing
    except (TimeoutError, LockError):
        return None


async def main():
    r = redis.Redis(port=6379, socket_timeout=1)
    for _ in range(2):
        lock = r.lock("order:42", timeout=3, sleep=0.25)
        if await try_to(lock.acquire()):
            print("enter", flush=True)
            await asyncio.sleep(0.5)
            print("leave", flush=True)
            await try_to(lock.release())


asyncio.run(main())
