// redlock.test.js - the npm package redlock, its last two versions: locks over several servers' worth of connections, alike on both servers.
'use strict';
const assert = require('node:assert/strict');
const { beforeEach, describe, test } = require('node:test');
const { load } = require('./packages');
const { Server, for_each_server, wanted } = require('./servers');

// Both versions by the same names.
const versions = {
  'redlock 4': (clients, options = {}) => {
    const redlock = new (load('redlock'))(clients, { retryCount: 0, ...options });
    redlock.on('clientError', () => {});
    return { acquire: (keys, ms) => redlock.lock(keys, ms), extend: (lock, ms) => lock.extend(ms), release: (lock) => lock.unlock() };
  },
  'redlock 5': (clients, options = {}) => {
    const redlock = new (load('redlock5').default)(clients, { retryCount: 0, ...options });
    redlock.on('error', () => {});
    return { acquire: (keys, ms) => redlock.acquire([keys].flat(), ms), extend: (lock, ms) => lock.extend(ms), release: (lock) => lock.release() };
  },
};

for_each_server((server) => {
  for (const [name, make] of Object.entries(versions))
    describe(name, () => {
      let redis;
      beforeEach(async () => {
        redis ??= server.client();
        await redis.flushall();
      });

      test('acquire, extend and release', async () => {
        const locks = make([redis]);
        let lock = await locks.acquire('order:42', 30000);
        assert.equal(await redis.get('order:42'), lock.value);
        assert.equal(await redis.pttl('order:42'), 30000);
        await server.advance(redis, 20000);
        lock = (await locks.extend(lock, 60000)) || lock;
        assert.equal(await redis.pttl('order:42'), 60000);
        await locks.release(lock);
        assert.equal(await redis.exists('order:42'), 0);
        await assert.rejects(locks.release(lock));               // it is no longer there
      });

      test('one of two gets it, and several keys are all or nothing', async () => {
        const ours = make([redis]), theirs = make([server.client()]);
        const lock = await ours.acquire(['a', 'b'], 30000);
        await assert.rejects(theirs.acquire(['b', 'c'], 30000));
        assert.equal(await redis.exists('c'), 0);
        await ours.release(lock);
        await theirs.release(await theirs.acquire(['b', 'c'], 30000));
        assert.equal(await redis.dbsize(), 0);
      });

      test('who waits gets it after the release', async () => {
        const ours = make([redis]), theirs = make([server.client()], { retryCount: 200, retryDelay: 5, retryJitter: 1 });
        const lock = await ours.acquire('a', 30000);
        const waiting = theirs.acquire('a', 30000);
        await ours.release(lock);
        await theirs.release(await waiting);
      });

      test('twenty of them in turn, never two', async () => {
        let inside = 0, turns = 0;
        const one = async () => {
          const locks = make([server.client()], { retryCount: 5000, retryDelay: 2, retryJitter: 2 });
          const lock = await locks.acquire('turn', 30000);
          assert.equal(++inside, 1);
          await redis.incr('count');
          turns++;
          inside--;
          await locks.release(lock);
        };
        await Promise.all(Array.from({ length: 20 }, one));
        assert.equal(turns, 20);
        assert.equal(await redis.get('count'), '20');
      });

      test('a lease of thirty seconds ends when the clock says so', async () => {
        const ours = make([redis]), theirs = make([server.client()]);
        await ours.acquire('a', 30000);
        assert.equal(await redis.pttl('a'), 30000);
        await server.advance(redis, 29999);
        await assert.rejects(theirs.acquire('a', 30000));
        await server.advance(redis, 1);                          // alive through its deadline
        assert.equal(await redis.pttl('a'), 0);
        await assert.rejects(theirs.acquire('a', 30000));
        await server.advance(redis, 1);
        await theirs.acquire('a', 30000);
      });
    });
});

describe('five servers', () => {
  const servers = Array.from({ length: 5 }, () => new Server('locksim'));
  for (const [name, make] of Object.entries(versions))
    test(`${name}: a majority is enough, a minority is not`, { skip: !wanted.includes('locksim') }, async () => {
      await Promise.all(servers.map((server) => server.start()));
      try {
        const clients = servers.map((server) => server.client());
        const locks = make(clients);
        await Promise.all(clients.slice(0, 2).map((client) => client.set('a', 'somebody else')));
        const lock = await locks.acquire('a', 30000);
        assert.deepEqual(await Promise.all(clients.map((client) => client.get('a'))),
          ['somebody else', 'somebody else', lock.value, lock.value, lock.value]);
        await assert.rejects(make(clients).acquire('a', 30000));
        await locks.release(lock);
        await clients[2].set('a', 'somebody else');
        await assert.rejects(locks.acquire('a', 30000));
        assert.deepEqual((await Promise.all(clients.map((client) => client.get('a')))).slice(3), [null, null]);
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    });
});
