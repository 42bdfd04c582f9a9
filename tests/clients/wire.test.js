// wire.test.js - bytes on the wire, without a client library: what no library would send is answered byte for byte as the real server does,
// and harms nobody else.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const net = require('node:net');
const { after, before, describe, test } = require('node:test');
const { Server, for_each_server } = require('./servers');

const end = 'PING last\r\n';                                     // its answer, or the end of the connection, ends each exchange
const command = (...words) => `*${words.length}\r\n` + words.map((w) => `$${Buffer.byteLength(w, 'latin1')}\r\n${w}\r\n`).join('');

const exchanges = {
  'inline commands': 'SET k v\r\nGET k\nset "a b" \'c d\'\r\n  get   "a b"  \r\n\r\n\n' + 'GET "\\x61 b"\r\n',
  'an inline command with a quote that is not closed': 'GET "k\r\n',
  'text right behind a quote': 'GET "k"k\r\n',
  'no such command': 'NOSUCH ' + 'x'.repeat(300) + '\r\n' + command('NOSUCH', 'a\r\nb', 'c'),
  'an empty array and a null one': '*0\r\n*-1\r\n',
  'an empty command name': command('') + command('', 'x'),
  'a count that is no number': '*x\r\n',
  'too many arguments': '*1048577\r\n',
  'a count without end': '*' + '1'.repeat(200000),
  'something else where a length belongs': '*1\r\n:4\r\nPING\r\n',
  'a length that is no number': '*1\r\n$x\r\n',
  'a negative length': '*1\r\n$-1\r\n',
  'too great a length': '*1\r\n$536870913\r\n',
  'an inline command that is too long': 'x'.repeat(200000),
  'bytes in keys and values': command('SET', '\0\xff\r\n', 'a\0b') + command('GET', '\0\xff\r\n') + command('STRLEN', '\0\xff\r\n'),
  'a pipeline with errors in it': command('SET', 'k', '1') + command('LPUSH', 'k', 'x') + command('INCR', 'k') + command('GET'),
  'a transaction': command('MULTI') + command('SET', 't', '1') + command('INCR', 't') + command('NOSUCH') + command('EXEC') + command('EXEC'),
  'HELLO of several kinds': command('HELLO', '4') + command('HELLO', 'x') + command('HELLO', '2', 'SETNAME', 'a b') + command('HELLO', '3', 'NOSUCH'),
  'messages as RESP2': command('SUBSCRIBE', 'a', 'b') + command('GET', 'k') + command('PING') + command('PING', 'x') + command('UNSUBSCRIBE', 'b', 'c')
    + command('UNSUBSCRIBE') + command('GET', 'none'),
  'QUIT in the middle': command('SET', 'k', 'v') + command('QUIT') + command('GET', 'k'),
  'RESET': command('MULTI') + command('SUBSCRIBE', 'a') + command('RESET') + command('EXEC'),
  'CLIENT REPLY': command('CLIENT', 'REPLY', 'SKIP') + command('SET', 'k', 'v') + command('GET', 'k') + command('CLIENT', 'REPLY', 'OFF') + command('GET', 'k')
    + command('CLIENT', 'REPLY', 'ON'),
  'scripts and their errors': command('EVAL', 'return {1,2,{3,{err="X y"}},false,"z"}', '0') + command('EVAL', 'return redis.call("nosuch")', '0')
    + command('EVALSHA', 'f'.repeat(40), '0') + command('EVAL', 'return 1', 'x') + command('SCRIPT', 'EXISTS', 'a', 'b'),
  'COMMAND GETKEYS': [['eval', 'x', '2', 'a', 'b', 'c'], ['eval', 'x', '0'], ['eval', 'x', '5', 'a'], ['eval', 'x', '-1', 'a'], ['eval', 'x', 'y', 'a'],
    ['eval', 'x'], ['evalsha_ro', 'x', '1', 'k'], ['script', 'load', 'x'], ['publish', 'a', 'b'], ['zunionstore', 'd', '2', 'a', 'b'], ['zunion', '0', 'a'],
    ['blmpop', '0', '2', 'a', 'b', 'left'], ['set', 'k', 'v'], ['nosuch', 'a']].map((words) => command('COMMAND', 'GETKEYS', ...words)).join(''),
  'a large value': command('SET', 'large', 'x'.repeat(3000000)) + command('STRLEN', 'large') + command('GETRANGE', 'large', '0', '9'),
};

describe('the same bytes', { skip: !process.env.REDIS_SERVER }, () => {
  const ours = new Server('locksim'), real = new Server('real');
  before(() => Promise.all([ours.start(), real.start()]));
  after(() => Promise.all([ours.stop(), real.stop()]));
  const enough = (text) => /last\r\n$/.test(text);
  for (const [name, text] of Object.entries(exchanges))
    test(name, async () => {
      const bytes = Buffer.from(text + end, 'latin1');
      assert.equal(await ours.raw(bytes, enough), await real.raw(bytes, enough));
    });
  test('an exchange cut at every byte', async () => {
    const text = command('SET', 'k', 'v\r\n') + 'GET k\r\n' + command('MGET', 'k', 'none') + end;
    const whole = await real.raw(text, enough);
    for (let at = 1; at < text.length; at++)
      assert.equal(await ours.raw([text.slice(0, at), text.slice(at)], enough), whole, `cut at byte ${at}`);
  });
});

for_each_server((server) => {
  test('who sends garbage, half a command, or vanishes harms nobody', async () => {
    const redis = server.client(), many = 300;
    await redis.flushall();
    const bad = ['*1000000000\r\n', '\x16\x03\x01\xff\r\n', '*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000\r\nhalf', command('MULTI') + command('INCR', 'n'),
      command('SUBSCRIBE', 'news'), command('BLPOP', 'line', '0'), command('WATCH', 'n'), '*1\r\n$4\r\nPI', command('EVAL', 'return {}', '0') + '*'];
    const sockets = [];
    for (let i = 0; i < many; i++) {
      const socket = net.connect(server.socket);
      socket.on('error', () => {});
      socket.write(Buffer.from(bad[i % bad.length], 'latin1'));
      sockets.push(socket);
      assert.equal(await redis.incr('n'), i + 1);
      if (i % 2) sockets.splice(Math.floor(i / 3) % sockets.length, 1)[0].destroy();
    }
    for (const socket of sockets) socket.destroy();
    const alone = (text) => /connected_clients:1\b/.test(text);
    for (let tries = 0; !alone(await redis.info('clients')) && tries < 1000; tries++) await new Promise(setImmediate);
    assert.ok(alone(await redis.info('clients')), await redis.info('clients'));
    assert.equal(await redis.publish('news', 'x'), 0);
    assert.equal(await redis.rpush('line', 'x'), 1);             // nobody waits for it any more
  });

  test('memory does not grow with commands', { skip: server.name === 'real' || !fs.existsSync('/proc/self/status') }, async () => {
    const clients = Array.from({ length: 50 }, () => server.client());
    const resident = () => Number(/VmRSS:\s*(\d+)/.exec(fs.readFileSync(`/proc/${server.child.pid}/status`, 'latin1'))[1]);
    const round = async (client, i) => {
      const pipeline = client.pipeline();
      for (let n = 0; n < 20; n++)
        pipeline.set(`k:${i}`, 'x'.repeat(100), 'PX', 60000).eval('return redis.call("INCR", KEYS[1])', 1, `n:${i}`).hset(`h:${i}`, 'f', n).get(`k:${i}`).del(`h:${i}`);
      for (const [error] of await pipeline.exec()) assert.equal(error, null);
    };
    const rounds = async (n) => {
      for (let r = 0; r < n; r++) await Promise.all(clients.map(round));
    };
    await rounds(2);
    const before = resident();
    await rounds(3);
    assert.ok(resident() - before < 2048, `from ${before} to ${resident()} kB`);
  });
});
