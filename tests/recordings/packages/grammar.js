// grammar.js - which keyspaces and arguments each script is asked with (cases.js): each key in each of its states, some time that passes (a key
// lives through its last millisecond), each list of arguments.
'use strict';

const state = (...commands) => ({ commands });
const malformed = (...commands) => ({ commands, malformed: true });
const words = (...list) => ({ words: list.map(String) });
const bad_words = (...list) => ({ words: list.map(String), malformed: true });

const SLEEPS = [0, 0.5, 0.501];

// A key that holds its owner's value: a is the caller.
const owned = (name) => [state(), state(['set', name, 'a', 'px', '500']), state(['set', name, 'a', 'px', '5000']), state(['set', name, 'b', 'px', '500']),
  state(['set', name, 'a']), malformed(['rpush', name, 'a']), malformed(['hset', name, 'a', '1'])];

const leases = (...before) => [words(...before, 1000), words(...before, 1), bad_words(...before, 0), bad_words(...before, -5), bad_words(...before, 'soon'),
  bad_words(...before, '1.5')];

const redlock = {
  'node_redlock/redlock/acquire': { class: 'Redlock', method: 'acquire', key_words: ['resource...'], argv_words: ['value', 'lease'],
    keys: [['x'], ['x', 'y']], states: owned, sleeps: SLEEPS, argv: leases('a') },
  'node_redlock/redlock/extend': { class: 'Redlock', method: 'extend', key_words: ['resource...'], argv_words: ['value', 'lease'],
    keys: [['x'], ['x', 'y']], states: owned, sleeps: SLEEPS, argv: leases('a') },
  'node_redlock/redlock/release': { class: 'Redlock', method: 'release', key_words: ['resource...'], argv_words: ['value'],
    keys: [['x'], ['x', 'y']], states: owned, sleeps: SLEEPS, argv: [words('a')] },
};

// A sorted set of holders, each last heard of some time before the server's clock: a and a_0, a_1 are the caller's; the lease is 1000 ms.
const NOW = 1700000000000;
const held = (name) => {
  const add = (...members) => ['zadd', name, ...members.flatMap(([id, ago]) => [String(NOW - ago), id])];
  const of = (ids) => [[], ...ids.map((id) => [id]), ids].flatMap((list) => (list.length === 0 ? [[]] : [0, 999, 1000, 1001].map((ago) => list.map((id) => [id, ago]))));
  const states = [state()];
  for (const mine of [...of(['a']), ...of(['a_0', 'a_1'])])
    for (const others of [[], [['b', 0]], [['b', 1000], ['d', 500]]]) {
      const all = [...mine, ...others];
      if (all.length) states.push(state(add(...all), ['pexpire', name, '500']));
    }
  return [...states, state(add(['b', 0])), malformed(['set', name, 'a']), malformed(['rpush', name, 'a'])];
};
const nows = [NOW, NOW - 400, NOW + 400];
const semaphore_argv = nows.flatMap((now) => [1, 2].map((limit) => words(limit, 'a', 1000, now))).concat([bad_words('many', 'a', 1000, NOW), bad_words(1, 'a', 'long', NOW)]);
const multi_argv = nows.flatMap((now) => [[2, 1], [2, 2], [3, 2]].map(([limit, permits]) => words(limit, permits, 'a', 1000, now)))
  .concat([bad_words(2, 'two', 'a', 1000, NOW), bad_words(2, 2, 'a', 1000, 'soon')]);
const KEY = [['x']];

const redis_semaphore = {
  'redis_semaphore/mutex/refresh': { class: 'RedisMutex', method: 'refreshMutex', key_words: ['mutex'], argv_words: ['identifier', 'lease'],
    keys: KEY, states: owned, sleeps: SLEEPS, argv: leases('a') },
  'redis_semaphore/mutex/release': { class: 'RedisMutex', method: 'releaseMutex', key_words: ['mutex'], argv_words: ['identifier'],
    keys: KEY, states: owned, sleeps: SLEEPS, argv: [words('a')] },
  'redis_semaphore/semaphore/acquire': { class: 'RedisSemaphore', method: 'acquireSemaphore', key_words: ['semaphore'],
    argv_words: ['limit', 'identifier', 'lease', 'now'], keys: KEY, states: held, sleeps: [0, 0.501], argv: semaphore_argv },
  'redis_semaphore/semaphore/refresh': { class: 'RedisSemaphore', method: 'refreshSemaphore', key_words: ['semaphore'],
    argv_words: ['limit', 'identifier', 'lease', 'now'], keys: KEY, states: held, sleeps: [0, 0.501], argv: semaphore_argv },
  'redis_semaphore/multi_semaphore/acquire': { class: 'RedisMultiSemaphore', method: 'acquireSemaphore', key_words: ['semaphore'],
    argv_words: ['limit', 'permits', 'identifier', 'lease', 'now'], keys: KEY, states: held, sleeps: [0], argv: multi_argv },
  'redis_semaphore/multi_semaphore/refresh': { class: 'RedisMultiSemaphore', method: 'refreshSemaphore', key_words: ['semaphore'],
    argv_words: ['limit', 'permits', 'identifier', 'lease', 'now'], keys: KEY, states: held, sleeps: [0], argv: multi_argv },
  'redis_semaphore/multi_semaphore/release': { class: 'RedisMultiSemaphore', method: 'releaseSemaphore', key_words: ['semaphore'],
    argv_words: ['permits', 'identifier'], keys: KEY, states: held, sleeps: [0, 0.501], argv: [words(1, 'a'), words(2, 'a'), bad_words(0, 'a'), bad_words('two', 'a')] },
};

const simple_redis_mutex = {
  'simple_redis_mutex/lock/release': { class: 'lock', method: 'release', key_words: ['lock', 'channel'], argv_words: ['value'], channels: ['c'],
    keys: [['x', 'c']], states: (name) => (name === 'c' ? [state()] : owned(name)), sleeps: SLEEPS, argv: [words('a'), words('b')] },
};

const node_redis_warlock = {
  'node_redis_warlock/warlock/release': { class: 'warlock', method: 'unlock', key_words: ['lock'], argv_words: ['id'], keys: KEY, states: owned, sleeps: SLEEPS, argv: [words('a')] },
  'node_redis_warlock/warlock/touch': { class: 'warlock', method: 'touch', key_words: ['lock', 'lease', 'id'], argv_words: [],
    keys: ['1000', '1', '0', '-5', 'soon', '1.5'].map((lease) => ['x', lease, 'a']), states: (name) => (name === 'x' ? owned(name) : [state()]), sleeps: SLEEPS, argv: [words()] },
};

module.exports = { redlock, 'redis-semaphore': redis_semaphore, 'simple-redis-mutex': simple_redis_mutex, 'node-redis-warlock': node_redis_warlock };
