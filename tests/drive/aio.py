# aio.py - two tasks of one event loop and the lock of redis-py.
import asyncio
import redis.asyncio as redis


async def work(r):
    async with r.lock("order:42", timeout=10):
        print("enter", flush=True)
        await asyncio.sleep(0.05)
        print("leave", flush=True)


async def main():
    r = redis.Redis()
    await asyncio.gather(work(r), work(r))

asyncio.run(main())
