// semaphore.test.js - the npm package redis-semaphore: its mutex, semaphores and their forms over several servers, alike on both servers.
'use strict';
const assert = require('node:assert/strict');
const { beforeEach, describe, test } = require('node:test');
const { load } = require('./packages');
const { Server, for_each_server, wanted } = require('./servers');

const { LostLockError, Mutex, MultiSemaphore, RedlockMultiSemaphore, RedlockMutex, RedlockSemaphore, Semaphore, TimeoutError } =
  load('redis-semaphore');
const once = { acquireAttemptsLimit: 1, lockTimeout: 30000, refreshInterval: 0 };

for_each_server((server) => {
  let redis;
  beforeEach(async () => {
    redis ??= server.client();
    await redis.flushall();
  });

  test('Mutex: one at a time, its own release only', async () => {
    const ours = new Mutex(redis, 'm', once), theirs = new Mutex(server.client(), 'm', once);
    await ours.acquire();
    assert.equal(await redis.get('mutex:m'), ours.identifier);
    assert.equal(await theirs.tryAcquire(), false);
    await assert.rejects(theirs.acquire(), TimeoutError);
    await theirs.release();
    assert.equal(await redis.exists('mutex:m'), 1);
    await ours.release();
    await theirs.acquire();
    await theirs.release();
    assert.equal(await redis.dbsize(), 0);
  });

  test('Mutex: a waiter gets in after the release', async () => {
    const ours = new Mutex(redis, 'm', once);
    const theirs = new Mutex(server.client(), 'm', { lockTimeout: 30000, retryInterval: 2, refreshInterval: 0 });
    await ours.acquire();
    const waiting = theirs.acquire();
    await ours.release();
    await waiting;
    await theirs.release();
  });

  test('Mutex: refreshes while it is held, and says when it is lost', async () => {
    let lost;
    const is_lost = new Promise((resolve) => (lost = resolve));
    const mutex = new Mutex(redis, 'm', { lockTimeout: 30000, refreshInterval: 5, onLockLost: lost });
    await mutex.acquire();
    await redis.pexpire('mutex:m', 20000);
    while ((await redis.pttl('mutex:m')) <= 20000) await new Promise(setImmediate);
    await redis.del('mutex:m');
    assert.ok((await is_lost) instanceof LostLockError);
    assert.equal(mutex.isAcquired, false);
  });

  test('Mutex: taken over from another process by its identifier', async () => {
    const ours = new Mutex(redis, 'm', once);
    await ours.acquire();
    const again = new Mutex(server.client(), 'm', { ...once, identifier: ours.identifier, acquiredExternally: true });
    await again.acquire();
    await again.release();
    assert.equal(await redis.exists('mutex:m'), 0);
  });

  test('Semaphore: as many as its limit', async () => {
    const all = Array.from({ length: 4 }, () => new Semaphore(server.client(), 's', 3, once));
    assert.deepEqual([await all[0].tryAcquire(), await all[1].tryAcquire(), await all[2].tryAcquire(), await all[3].tryAcquire()],
      [true, true, true, false]);
    assert.equal(await redis.zcard('semaphore:s'), 3);
    await all[1].release();
    assert.equal(await all[3].tryAcquire(), true);
    await Promise.all(all.map((one) => one.release()));
    assert.equal(await redis.dbsize(), 0);
  });

  test('MultiSemaphore: permits together or not at all', async () => {
    const two = new MultiSemaphore(redis, 's', 3, 2, once), other = new MultiSemaphore(server.client(), 's', 3, 2, once);
    const one = new MultiSemaphore(server.client(), 's', 3, 1, once);
    await two.acquire();
    assert.equal(await other.tryAcquire(), false);
    await one.acquire();
    assert.deepEqual((await redis.zrange('semaphore:s', 0, -1)).sort(), [`${two.identifier}_0`, `${two.identifier}_1`, `${one.identifier}_0`].sort());
    await two.release();
    await other.acquire();
    await Promise.all([other.release(), one.release()]);
    assert.equal(await redis.dbsize(), 0);
  });

  test('a mutex of thirty seconds is free when the clock says so', async () => {
    const ours = new Mutex(redis, 'm', once), theirs = new Mutex(server.client(), 'm', once);
    await ours.acquire();
    assert.equal(await redis.pttl('mutex:m'), 30000);
    await server.advance(redis, 30000);
    assert.equal(await theirs.tryAcquire(), false);
    await server.advance(redis, 1);
    await theirs.acquire();
    await ours.release();                                        // no longer its own
    assert.equal(await redis.get('mutex:m'), theirs.identifier);
  });

  test("a semaphore's key lives as long as its last permit", async () => {
    await new Semaphore(redis, 's', 2, once).acquire();
    await server.advance(redis, 10000);
    await new Semaphore(redis, 's', 2, once).acquire();
    assert.equal(await redis.pttl('semaphore:s'), 30000);
    await server.advance(redis, 30001);
    assert.equal(await redis.exists('semaphore:s'), 0);
  });
});

describe('five servers', { skip: !wanted.includes('locksim') }, () => {
  test('over five servers, of which two are gone', async () => {
    const servers = Array.from({ length: 5 }, () => new Server('locksim'));
    await Promise.all(servers.map((one) => one.start()));
    try {
      const clients = servers.map((one) => one.client());
      await Promise.all(clients.map((client) => client.ping()));
      await Promise.all([servers[0].stop(), servers[3].stop()]);
      for (const make of [() => new RedlockMutex(clients, 'm', once), () => new RedlockSemaphore(clients, 's', 1, once),
        () => new RedlockMultiSemaphore(clients, 'n', 2, 2, once)]) {
        const ours = make(), theirs = make();
        await ours.acquire();
        assert.equal(await theirs.tryAcquire(), false);
        await ours.release();
        assert.equal(await theirs.tryAcquire(), true);
        await theirs.release();
      }
      assert.equal(await clients[1].dbsize(), 0);
    } finally {
      await Promise.all(servers.map((one) => one.stop()));
    }
  });
});
