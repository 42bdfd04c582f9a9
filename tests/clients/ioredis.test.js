// ioredis.test.js - the client library ioredis, in each of its ways to speak: what an application does with it works, alike on both servers.
'use strict';
const assert = require('node:assert/strict');
const { once } = require('node:events');
const { beforeEach, describe, test } = require('node:test');
const { load } = require('./packages');
const { for_each_server } = require('./servers');

const ways = {
  'ioredis 6, RESP3': [load('ioredis'), {}],
  'ioredis 6, RESP2': [load('ioredis'), { protocol: 2 }],
  'ioredis 5': [load('ioredis5'), {}],
};

const fails = (promise, text) => assert.rejects(promise, (error) => error.message.includes(text) || assert.fail(error.message));

function basics(server, connect) {
  let redis;
  beforeEach(async () => {
    redis ??= connect();
    await redis.flushall();
    await redis.script('FLUSH');
  });

  test('connects and is ready', async () => {
    const client = connect({ lazyConnect: true, connectionName: 'somebody', db: 3 });
    await client.connect();
    assert.equal(client.status, 'ready');
    assert.equal(await client.client('GETNAME'), 'somebody');
    await client.set('k', 'v');
    assert.equal(await redis.get('k'), null);                  // another database
    assert.match(await client.info(), /redis_version:7\.0\./);
    assert.equal(await client.ping(), 'PONG');
    assert.equal(await client.quit(), 'OK');
  });

  test('strings, hashes, lists, sets and sorted sets come back as their JavaScript', async () => {
    await redis.mset({ a: 1, b: Buffer.from([0, 255, 13, 10]), c: 'ünï' });
    assert.deepEqual(await redis.mget('a', 'c', 'none'), ['1', 'ünï', null]);
    assert.deepEqual(await redis.getBuffer('b'), Buffer.from([0, 255, 13, 10]));
    await redis.hset('h', { x: 1, y: 'two' });
    assert.deepEqual(await redis.hgetall('h'), { x: '1', y: 'two' });
    await redis.rpush('l', 1, 2, 3);
    assert.deepEqual(await redis.lrange('l', 0, -1), ['1', '2', '3']);
    await redis.sadd('s', 1, 2, 3);
    assert.deepEqual(await redis.smembers('s'), ['1', '2', '3']);
    await redis.zadd('z', 1.5, 'a', 'inf', 'b');
    assert.deepEqual(await redis.zrange('z', 0, -1, 'WITHSCORES'), ['a', '1.5', 'b', 'inf']);
    assert.equal(await redis.zscore('z', 'a'), '1.5');
    assert.deepEqual(await redis.zpopmin('z'), ['a', '1.5']);
    assert.equal(await redis.incrbyfloat('f', 0.1), '0.1');
  });

  test('a pipeline keeps the order of its answers, errors among them', async () => {
    const answers = await redis.pipeline().set('k', 'x').lpush('k', 1).get('k').call('nosuch', 'a').incr('n').exec();
    assert.deepEqual(answers.map(([error, value]) => (error ? error.message : value)), ['OK',
      'WRONGTYPE Operation against a key holding the wrong kind of value', 'x', "ERR unknown command 'nosuch', with args beginning with: 'a' ", 1]);
    const pipeline = redis.pipeline();
    for (let i = 0; i < 3000; i++) pipeline.incr('n');
    const many = await pipeline.exec();
    assert.deepEqual(many.map(([, value]) => value), Array.from({ length: 3000 }, (_, i) => i + 2));
  });

  test('MULTI is all or nothing, and WATCH notices others', async () => {
    const done = await redis.multi().set('k', 1).incr('k').lpush('k', 1).exec();
    assert.equal(done[1][1], 2);
    assert.match(done[2][0].message, /^WRONGTYPE/);
    await fails(redis.multi().set('k', 3).call('nosuch').exec(), 'EXECABORT Transaction discarded because of previous errors.');
    assert.equal(await redis.get('k'), '2');
    const other = connect();
    await redis.watch('k');
    await other.set('k', 'theirs');
    assert.equal(await redis.multi().set('k', 'mine').exec(), null);
    await redis.watch('k');
    assert.deepEqual(await redis.multi().set('k', 'mine').get('k').exec(), [[null, 'OK'], [null, 'mine']]);
    await redis.multi({ pipeline: false });
    assert.equal(await redis.set('k', 'queued'), 'QUEUED');
    assert.equal(await redis.discard(), 'OK');
    assert.equal(await redis.get('k'), 'mine');
  });

  test('messages reach other connections, by channel and by pattern', async () => {
    const listener = connect(), heard = [];
    listener.on('message', (channel, text) => heard.push([channel, text]));
    listener.on('pmessage', (pattern, channel, text) => heard.push([pattern, channel, text]));
    assert.equal(await listener.subscribe('news', 'other'), 2);
    assert.equal(await listener.psubscribe('ne*'), 3);
    assert.equal(await redis.publish('news', 'hello'), 2);
    assert.equal(await redis.publish('nobody', 'hello'), 0);
    assert.equal(await redis.eval("return redis.call('PUBLISH', KEYS[1], ARGV[1])", 1, 'other', 'from a script'), 1);
    assert.deepEqual(await redis.pubsub('NUMSUB', 'news', 'x'), ['news', 1, 'x', 0]);
    while (heard.length < 3) await Promise.race([once(listener, 'message'), once(listener, 'pmessage')]);
    assert.deepEqual(heard.map(String).sort(), ['ne*,news,hello', 'news,hello', 'other,from a script']);
    assert.equal(await listener.punsubscribe('ne*'), 2);
    assert.equal(await listener.unsubscribe('news', 'other'), 0);
    assert.equal(await listener.get('nothing'), null);           // an ordinary connection again
    assert.equal(await redis.publish('news', 'again'), 0);
  });

  test('a script by EVALSHA, and whole where the server has it not', async () => {
    const body = 'return {KEYS[1], ARGV[1], #KEYS + #ARGV, 3.9, false, true}';
    const sha = '7c4ac38a2c2d4aa0a6e4a1d92a9b2a3c1c4f5a0f';
    await fails(redis.evalsha(sha, 0), 'NOSCRIPT No matching script. Please use EVAL.');
    assert.deepEqual(await redis.eval(body, 1, 'k', 'a'), ['k', 'a', 2, 3, null, 1]);
    const loaded = await redis.script('LOAD', body);
    assert.deepEqual(await redis.evalsha(loaded, 1, 'k', 'a'), ['k', 'a', 2, 3, null, 1]);
    assert.deepEqual(await redis.script('EXISTS', loaded, sha), [1, 0]);
    redis.defineCommand('taking', { numberOfKeys: 1, lua: "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])" });
    assert.equal(await redis.taking('lock', 'me', 30000), 'OK');
    assert.equal(await redis.taking('lock', 'you', 30000), null);
    await redis.script('FLUSH');
    assert.equal(await redis.taking('lock', 'you', 30000), null);      // the library sent it again
    const piped = await redis.pipeline().taking('p', 'me', 100).taking('p', 'you', 100).exec();
    assert.deepEqual(piped, [[null, 'OK'], [null, null]]);
    await fails(redis.eval("return redis.call('INCR', KEYS[1])", 1, 'lock'), 'ERR value is not an integer or out of range script: ');
  });

  test('scan streams see every key once', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `key:${i}`);
    await redis.mset(Object.fromEntries(names.map((name) => [name, 1])));
    await redis.hset('hash', Object.fromEntries(names.map((name) => [name, 2])));
    await redis.zadd('zset', ...names.flatMap((name, i) => [i, name]));
    await redis.sadd('set', names);
    const collect = async (stream) => {
      const found = [];
      for await (const part of stream) found.push(...part);
      return found;
    };
    assert.deepEqual([...new Set(await collect(redis.scanStream({ match: 'key:*', count: 17 })))].sort(), [...names].sort());
    assert.deepEqual([...new Set(await collect(redis.sscanStream('set')))].sort(), [...names].sort());
    assert.equal(new Set((await collect(redis.hscanStream('hash', { match: '*:1*' }))).filter((_, i) => i % 2 === 0)).size, 111);
    assert.equal(new Set((await collect(redis.zscanStream('zset'))).filter((_, i) => i % 2 === 0)).size, 300);
    assert.deepEqual(await collect(redis.scanStream({ type: 'hash' })), ['hash']);
  });

  test('a blocking pop waits for another connection, and others go on meanwhile', async () => {
    const waiter = connect();
    const first = waiter.blpop('line', 'other', 0), second = waiter.incr('after');
    await waits(redis, 1);
    assert.equal(await redis.get('after'), null);                // what was sent behind a blocked command waits with it
    await redis.rpush('other', 'x');
    assert.deepEqual(await first, ['other', 'x']);
    assert.equal(await second, 1);
    const popped = waiter.bzpopmin('scores', 0);
    await waits(redis, 1);
    await redis.zadd('scores', 2, 'b', 1, 'a');
    assert.deepEqual(await popped, ['scores', 'a', '1']);
    const moved = waiter.blmove('from', 'to', 'LEFT', 'RIGHT', 0);
    await waits(redis, 1);
    await redis.multi().rpush('from', 'm').del('nothing').exec();
    assert.equal(await moved, 'm');
    assert.deepEqual(await redis.lrange('to', 0, -1), ['m']);
  });

  test('who waited first is served first', async () => {
    const waiters = [connect(), connect(), connect()], served = [];
    for (const [i, waiter] of waiters.entries()) {
      waiter.brpop('q', 0).then(([, value]) => served.push([i, value]), () => {});
      await waits(redis, i + 1);
    }
    waiters[1].disconnect();                                     // leaves the line
    await waits(redis, 2);
    await redis.lpush('q', 'one');
    await redis.lpush('q', 'two');
    await waits(redis, 0);
    while (served.length < 2) await new Promise(setImmediate);
    assert.deepEqual(served, [[0, 'one'], [2, 'two']]);
  });

  test('what a server refuses is an error with its words', async () => {
    await redis.set('k', 'text');
    await fails(redis.incr('k'), 'ERR value is not an integer or out of range');
    await fails(redis.call('get'), "ERR wrong number of arguments for 'get' command");
    await fails(redis.set('k', 'v', 'PX', 0), "ERR invalid expire time in 'set' command");
    await fails(redis.exec(), 'ERR EXEC without MULTI');
    await fails(redis.eval('return nosuch', 0), "ERR user_script:1: Script attempted to access nonexistent global variable 'nosuch' script: ");
    await fails(redis.client('NOSUCH'), "ERR unknown subcommand 'NOSUCH'. Try CLIENT HELP.");
    await fails(redis.auth('secret'), 'ERR AUTH <password> called without any password configured');
  });

  test('what a client asks about the server', async () => {
    assert.deepEqual(await redis.config('GET', 'maxmemory-policy'), ['maxmemory-policy', 'noeviction']);
    assert.equal(typeof (await redis.client('ID')), 'number');
    assert.match(await redis.client('LIST'), /id=\d+ .*cmd=client\|list/);
    assert.equal((await redis.command('INFO', 'get'))[0][1], 2);
    assert.ok((await redis.command('COUNT')) > 50);
    assert.deepEqual(await redis.command('GETKEYS', 'EVAL', 'x', 2, 'a', 'b', 'c'), ['a', 'b']);
    assert.equal(await redis.dbsize(), 0);
    assert.equal(await redis.select(1), 'OK');
    assert.equal(await redis.select(0), 'OK');
    assert.equal(await redis.echo('x'), 'x');
    assert.equal((await redis.time()).length, 2);
  });
}

// Until so many clients wait in a blocking command.
async function waits(redis, count) {
  for (let tries = 0; tries < 2000; tries++) {
    if (Number(/blocked_clients:(\d+)/.exec(await redis.info('clients'))[1]) === count) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.fail(`never ${count} blocked clients`);
}

for_each_server((server) => {
  for (const [name, [Redis, options]] of Object.entries(ways))
    describe(name, () => basics(server, (more = {}) => server.client({ ...options, ...more }, Redis)));

  test('RESP3 as it is', async () => {
    const redis = server.client({ replyMapping: 'resp3' });
    await redis.flushall();
    await redis.hset('h', 'x', 1);
    await redis.zadd('z', 1.5, 'a', 2, 'b');
    assert.deepEqual({ ...(await redis.call('HGETALL', 'h')) }, { x: '1' });
    assert.equal(await redis.zscore('z', 'a'), 1.5);
    assert.deepEqual(await redis.zrange('z', 0, -1, 'WITHSCORES'), [['a', 1.5], ['b', 2]]);
    assert.equal((await redis.config('GET', 'maxmemory'))['maxmemory'], '0');
    assert.equal(await redis.eval('redis.setresp(3) return redis.call("ZSCORE", KEYS[1], "b")', 1, 'z'), 2);
    assert.equal((await redis.hello(3)).proto, 3);
  });
});
