// clock.test.js - what an application's tests need a clock for that they can move: times to live, limits in a window, waits that end, alike
// on locksim's manual clock and on a real server whose clock is held.
'use strict';
const assert = require('node:assert/strict');
const { beforeEach, test } = require('node:test');
const { START_US, for_each_server } = require('./servers');

for_each_server((server) => {
  let redis;
  const now_ms = async () => {
    const [s, us] = await redis.time();
    return Number(s) * 1000 + Number(us) / 1000;
  };
  // Until the server has noticed: the real one looks for what is over now and then only.
  const becomes = async (wanted, ask) => {
    for (let tries = 0; tries < 2000; tries++) {
      if ((await ask()) === wanted) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    assert.fail(`never ${wanted}`);
  };
  const waits = (count) => becomes(count, async () => Number(/blocked_clients:(\d+)/.exec(await redis.info('clients'))[1]));
  beforeEach(async () => {
    redis ??= server.client();
    await redis.flushall();
  });

  test('time stands still until it is moved, and scripts see the same', async () => {
    const began = await now_ms();
    assert.ok(began >= Number(START_US / 1000n));
    assert.equal(await now_ms(), began);
    await server.advance(redis, 1500);
    assert.equal(await now_ms(), began + 1500);
    assert.equal(await redis.eval("local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000", 0), began + 1500);
  });

  test('a key lives through its deadline, however it got it', async () => {
    const now = await now_ms();
    await redis.set('px', 1, 'PX', 5000);
    await redis.set('ex', 1, 'EX', 5);
    await redis.set('at', 1, 'PXAT', now + 5000);
    await redis.psetex('set', 5000, 1);
    await redis.hset('hash', 'f', 1);
    await redis.pexpireat('hash', now + 5000);
    await redis.eval("redis.call('SADD', KEYS[1], 1) redis.call('PEXPIRE', KEYS[1], 5000)", 1, 'script');
    const keys = ['px', 'ex', 'at', 'set', 'hash', 'script'];
    for (const [ms, left, alive] of [[4999, 1, 6], [1, 0, 6], [1, -2, 0]]) {
      await server.advance(redis, ms);
      assert.deepEqual(await Promise.all(keys.map((key) => redis.pttl(key))), keys.map(() => left));
      assert.equal(await redis.exists(...keys), alive);
    }
  });

  test('what nobody looks at is gone, too', async () => {
    await redis.set('a', 1, 'PX', 10);
    await redis.set('b', 1, 'PX', 100000);
    await server.advance(redis, 11);
    await becomes(1, () => redis.dbsize());
  });

  test('a limiter of three in ten seconds', async () => {
    redis.defineCommand('allow', {
      numberOfKeys: 1,
      lua: `local count = redis.call('INCR', KEYS[1])
            if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
            return count <= tonumber(ARGV[1])`,
    });
    const allowed = async (times) => {
      const answers = [];
      for (let i = 0; i < times; i++) answers.push(await redis.allow('limit', 3, 10000));
      return answers;
    };
    assert.deepEqual(await allowed(5), [1, 1, 1, null, null]);
    await server.advance(redis, 10000);
    assert.deepEqual(await allowed(1), [null]);
    await server.advance(redis, 1);
    assert.deepEqual(await allowed(4), [1, 1, 1, null]);
  });

  test('a wait ends at its time, and not before', async () => {
    const waiter = server.client();
    let answer = 'waiting';
    waiter.blpop('line', 30).then((value) => (answer = value));
    await waits(1);
    await server.advance(redis, 29000);
    assert.equal(await redis.ping(), 'PONG');
    await waits(1);
    assert.equal(answer, 'waiting');
    await server.advance(redis, 1001);
    await becomes(null, () => answer);
    await waits(0);
    assert.equal(await redis.rpush('line', 'x'), 1);             // it went to nobody
  });

  test('WATCH and a key whose time is over', async () => {
    await redis.set('k', 1, 'PX', 1000);
    await redis.watch('k');
    await server.advance(redis, 1001);
    assert.equal(await redis.multi().set('other', 1).exec(), null);
    assert.equal(await redis.exists('k'), 0);
    await redis.watch('k');
    assert.deepEqual(await redis.multi().set('other', 1).exec(), [[null, 'OK']]);
  });

  test('a year is as short as a millisecond', async () => {
    await redis.set('k', 1, 'EX', 365 * 86400);
    for (let day = 0; day < 365; day++) await server.advance(redis, 86400000);
    assert.equal(await redis.pttl('k'), 0);
    await server.advance(redis, 1);
    assert.equal(await redis.get('k'), null);
  });
});
