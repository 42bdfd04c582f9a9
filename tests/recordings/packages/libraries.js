// libraries.js - how each npm library is called by a program (rig.js): its clients, its calls, how its ids and scripts are known. What a call tells
// is "returned", true, false, or a word for what was thrown; drivers say the same (../package_program.lua).
'use strict';
const { createRequire } = require('node:module');
const { load } = require('./packages');
const { fresh, ioredis, node_redis } = require('./rig');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The object of a thread that a step names, made when it is first named.
function object_of(thread, step, make) {
  const key = `${step.kind}:${step.name}`;
  if (!thread.objects.has(key)) thread.objects.set(key, make());
  return thread.objects.get(key);
}

const options = (step, names) => Object.fromEntries(Object.entries(names).filter(([, key]) => step[key] !== undefined).map(([to, key]) => [to, step[key]]));

// ---- redlock ----
const redlock = {
  package: 'redlock',
  folder: 'redlock',
  token: /\b[0-9a-f]{32}\b/g,
  scripts: [[/number of entries added/, 'node_redlock/redlock/acquire.lua'], [/number of entries updated/, 'node_redlock/redlock/extend.lua'],
    [/number of entries removed/, 'node_redlock/redlock/release.lua']],
  make(thread, run, servers) {
    const Redlock = fresh('redlock').default;
    thread.run = run;
    return new Redlock(servers.map((server) => ioredis(run, thread.client, server)));
  },
  async call(thread, step) {
    const settings = options(step, { retryCount: 'retries', retryDelay: 'delay', retryJitter: 'jitter', automaticExtensionThreshold: 'threshold' });
    const resources = step.name.split('+'), key = step.name;
    const refuse = (word) => (error) => {
      if (error.constructor.name !== 'ExecutionError') throw error;
      throw Object.assign(error, { word: /already-expired/.test(error.message) ? 'expired' : word });
    };
    if (step.call === 'acquire')
      thread.objects.set(key, await thread.library.acquire(resources, step.lease, settings).catch(refuse('refused')));
    else if (step.call === 'release') await thread.library.release(thread.objects.get(key), settings).catch(refuse('not owner'));
    else if (step.call === 'extend')
      thread.objects.set(key, await thread.library.extend(thread.objects.get(key), step.lease, settings).catch(refuse('not owner')));
    else if (step.call === 'using') {
      let entered = false;
      return thread.library.using(resources, step.lease, settings, async (signal) => {
        entered = true;
        signal.addEventListener('abort', () => thread.run.note({ client: thread.client, told: 'aborted' }));
        await sleep(step.work);
        return signal.aborted ? 'aborted' : 'done';
      }).catch((error) => refuse(entered ? 'not owner' : 'refused')(error));
    } else throw new Error(`no call ${step.call}`);
  },
  reason: (error) => error.word || (() => { throw error; })(),
};

// ---- redis-semaphore ----
const semaphore_classes = {
  mutex: 'Mutex', semaphore: 'Semaphore', multi: 'MultiSemaphore',
  rmutex: 'RedlockMutex', rsemaphore: 'RedlockSemaphore', rmulti: 'RedlockMultiSemaphore',
};
const redis_semaphore = {
  package: 'redis-semaphore',
  folder: 'redis_semaphore',
  token: /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g,
  scripts: [[/'del'/, 'redis_semaphore/mutex/release.lua'], [/value == identifier/, 'redis_semaphore/mutex/refresh.lua'],
    [/'zrem', key, unpack/, 'redis_semaphore/multi_semaphore/release.lua'], [/permits\) <= limit/, 'redis_semaphore/multi_semaphore/acquire.lua'],
    [/'zscore', key, identifier \.\./, 'redis_semaphore/multi_semaphore/refresh.lua'], [/'zcard', key\) < limit/, 'redis_semaphore/semaphore/acquire.lua'],
    [/'zscore', key, identifier\)/, 'redis_semaphore/semaphore/refresh.lua']],
  make(thread, run, servers) {
    thread.run = run;
    thread.clients = servers.map((server) => ioredis(run, thread.client, server));
    return fresh('redis-semaphore');
  },
  async call(thread, step) {
    const lock = object_of(thread, step, () => {
      const set = options(step, { lockTimeout: 'lease', acquireTimeout: 'wait', retryInterval: 'delay', refreshInterval: 'refresh', acquireAttemptsLimit: 'attempts' });
      set.onLockLost = () => thread.run.note({ client: thread.client, told: 'lost' });
      const client = step.kind[0] === 'r' ? thread.clients : thread.clients[0];
      const sizes = [step.limit, step.permits].filter((n) => n !== undefined);
      return new thread.library[semaphore_classes[step.kind]](client, step.name, ...sizes, set);
    });
    return lock[step.call]();
  },
  reason(error) {
    if (error.constructor.name === 'TimeoutError') return 'timeout';
    throw error;
  },
};

// ---- simple-redis-mutex ----
const simple_redis_mutex = {
  package: 'simple-redis-mutex',
  folder: 'simple_redis_mutex',
  token: /\b0\.\d{10,}\b/g,
  random: (() => {
    let drawn = 0;
    return () => 0.1 + ++drawn * 0.0000000101;
  })(),
  scripts: [[/updatesChannel/, 'simple_redis_mutex/lock/release.lua']],
  make(thread, run) {
    thread.redis = node_redis(run, thread.client, 0, 'redis5');
    return fresh('simple-redis-mutex');
  },
  async call(thread, step) {
    const set = options(step, { timeout: 'lease', pollingInterval: 'poll', failAfter: 'wait' });
    if (step.call === 'lock') thread.release = await thread.library.lock(thread.redis, step.name, set);
    else if (step.call === 'tryLock') {
      const [got, release] = await thread.library.tryLock(thread.redis, step.name, set);
      thread.release = got ? release : thread.release;
      return got;
    } else if (step.call === 'unlock') await thread.release();
    else if (step.call === 'refresh') await thread.release.refreshTimeout();
    else if (step.call === 'token') return thread.release.fencingToken;
    else throw new Error(`no call ${step.call}`);
  },
  reason(error) {
    if (/could not be acquired/.test(error.message)) return 'timeout';
    throw error;
  },
};

// ---- redis-lock: the requests of node-redis 4 are private to it, but how it words a command can be asked ----
const of_node_redis_4 = (command) => createRequire(load.resolve('redis4'))(`@redis/client/dist/lib/commands/${command}`);

const redis_lock = {
  package: 'redis-lock',
  folder: 'redis_lock',
  token: /(?!)/g,
  scripts: [],
  make(thread, run) {
    const worded = (command, ...args) => run.send(thread.client, 0, of_node_redis_4(command).transformArguments(...args));
    const client = { v4: true, set: (...args) => worded('SET', ...args), del: (...args) => worded('DEL', ...args) };
    return (delay) => fresh('redis-lock')(client, delay);
  },
  async call(thread, step) {
    if (step.call === 'lock') thread.done = await thread.library(step.delay)(step.name, step.lease);
    else if (step.call === 'unlock') await thread.done();
    else throw new Error(`no call ${step.call}`);
  },
  reason(error) { throw error; },
};

// ---- node-redis-warlock: for node-redis of before promises, which calls back ----
const calls_back = (promise, callback) => promise.then((value) => callback(null, value), (error) => callback(error));
const node_redis_warlock = {
  package: 'node-redis-warlock',
  folder: 'node_redis_warlock',
  token: /[A-Za-z0-9+/]{22}==/g,
  scripts: [[/'XX'/, 'node_redis_warlock/warlock/touch.lua'], [/'del'/, 'node_redis_warlock/warlock/release.lua']],
  make(thread, run) {
    const send = (...args) => calls_back(run.send(thread.client, 0, args.slice(0, -1)), args[args.length - 1]);
    const redis = {
      set: (...args) => send('SET', ...args),
      eval: (...args) => send('EVAL', ...args),
      evalsha: (...args) => send('EVALSHA', ...args),
      script: (...args) => send('SCRIPT', ...args),
    };
    return fresh('node-redis-warlock')(redis);
  },
  call(thread, step) {
    const { library } = thread;
    return new Promise((resolve, reject) => {
      const done = (value) => (error, result) => (error ? reject(error) : resolve(value ? value(result) : undefined));
      const keep = (error, unlock, id) => {
        if (!error && unlock) Object.assign(thread, { unlock, id: id || thread.id });
        done((got) => typeof got === 'function')(error, unlock);
      };
      if (step.call === 'lock') library.lock(step.name, step.lease, keep);
      else if (step.call === 'optimistic') library.optimistic(step.name, step.lease, step.tries, step.wait, keep);
      else if (step.call === 'unlock') thread.unlock(done((n) => n === 1));
      else if (step.call === 'touch') library.touch(step.name, thread.id, step.lease, done((got) => got === 'OK'));
      else reject(new Error(`no call ${step.call}`));
    });
  },
  reason(error) {
    if (/unable to obtain lock/.test(error.message)) return 'refused';
    throw error;
  },
};

module.exports = { redlock, 'redis-semaphore': redis_semaphore, 'simple-redis-mutex': simple_redis_mutex, 'redis-lock': redis_lock, 'node-redis-warlock': node_redis_warlock };
