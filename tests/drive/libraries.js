// libraries.js - workers with locks of npm's packages.   Usage: libraries.js KIND      Each kind's driver is the case of
// the same name in libraries.lua.   CLIENTS: the folder whose node_modules has the packages.
const { createRequire } = require('module');
const load = createRequire(process.env.CLIENTS + '/');
const sleep = ms => new Promise(r => setTimeout(r, ms));

async function inside(ms) {
  console.log('enter');
  await sleep(ms);
  console.log('leave');
}

// ---- redis-semaphore ----

const { Mutex, Semaphore, MultiSemaphore, RedlockMutex, RedlockSemaphore, RedlockMultiSemaphore } =
  load('redis-semaphore');
const plain = { lockTimeout: 3000, acquireTimeout: 20000, retryInterval: 250, refreshInterval: 0 };
const refreshed = { ...plain, lockTimeout: 1000, refreshInterval: 400 };
const hasty = { ...plain, acquireTimeout: 700, acquireAttemptsLimit: 5, retryInterval: 200 };

// make(redis): the lock; two rounds with it. What it loses meanwhile is no end of the program.
const semaphore = (make, ms) => async () => {
  const Redis = load('ioredis');
  const redis = new Redis();
  for (let round = 0; round < 2; round++) {
    const lock = make(redis);
    if (await lock.tryAcquire()) {
      await inside(ms);
      await lock.release();
    }
  }
  await redis.quit();
};
const silent = () => {};

// ---- redlock 5 ----

async function withRedlock(settings, use) {
  const Redis = load('ioredis5');
  const redis = new Redis();
  const redlock = new (load('redlock5').default)([redis],
    { retryCount: 40, retryDelay: 200, retryJitter: 0, ...settings });
  redlock.on('error', silent);
  for (let round = 0; round < 2; round++) await use(redlock).catch(silent);
  await redis.quit();
}

// ---- those on node-redis ----

async function withRedis(release, use) {
  const redis = load(release).createClient();
  await redis.connect();
  for (let round = 0; round < 2; round++) await use(redis);
  process.exit();                      // with quit() simple-redis-mutex says goodbye on its subscription, too
}

const warlock = use => async () => {
  const redis = load('redis3').createClient();
  const locks = load('node-redis-warlock')(redis);
  const call = (f, ...words) => new Promise(r => f(...words, (error, ...results) => r(error ? [] : results)));
  for (let round = 0; round < 2; round++) await use(locks, call);
  redis.quit();
};

const kinds = {
  mutex_refreshed: semaphore(r => new Mutex(r, 'order:42', { ...refreshed, onLockLost: silent }), 1500),
  mutex_hasty: semaphore(r => new Mutex(r, 'order:42', hasty), 500),
  semaphore: semaphore(r => new Semaphore(r, 'pool', 2, plain), 500),
  semaphore_refreshed: semaphore(r => new Semaphore(r, 'pool', 1, { ...refreshed, onLockLost: silent }), 1500),
  multi_semaphore: semaphore(r => new MultiSemaphore(r, 'pool', 3, 2, plain), 500),
  multi_semaphore_refreshed:
    semaphore(r => new MultiSemaphore(r, 'pool', 3, 2, { ...refreshed, onLockLost: silent }), 1500),
  redlock_mutex: semaphore(r => new RedlockMutex([r], 'order:42', plain), 500),
  redlock_mutex_refreshed: semaphore(r => new RedlockMutex([r], 'order:42', { ...refreshed, onLockLost: silent }), 1500),
  redlock_semaphore: semaphore(r => new RedlockSemaphore([r], 'pool', 1, plain), 500),
  redlock_multi_semaphore: semaphore(r => new RedlockMultiSemaphore([r], 'pool', 3, 2, plain), 500),

  redlock_several: () => withRedlock({}, async redlock => {
    const lock = await redlock.acquire(['order:1', 'order:2'], 3000);
    await inside(500);
    await lock.release();
  }),
  redlock_extended: () => withRedlock({}, async redlock => {
    let lock = await redlock.acquire(['order:42'], 1000);
    await inside(500);
    lock = await lock.extend(2000);
    await inside(500);
    await lock.release();
  }),
  redlock_using: () => withRedlock({}, redlock =>
    redlock.using(['order:42'], 1000, { automaticExtensionThreshold: 400 }, () => inside(1500))),

  redis_lock: () => withRedis('redis4', async redis => {
    const release = await load('redis-lock')(redis)('order:42', 1000);
    await inside(500);
    await release();
  }),
  simple_redis_mutex: () => withRedis('redis', async redis => {
    const { lock } = load('simple-redis-mutex');
    const release = await lock(redis, 'order:42', { timeout: 3000, pollingInterval: 700 });
    await inside(500);
    await release();
  }),
  simple_redis_mutex_refreshed: () => withRedis('redis', async redis => {
    const { tryLock } = load('simple-redis-mutex');
    const [held, release] = await tryLock(redis, 'order:42', { timeout: 1000 });
    if (held) {
      await inside(500);
      await release.refreshTimeout();
      await inside(500);
      await release();
    } else {
      await sleep(300);
    }
  }),
  warlock: warlock(async (locks, call) => {
    const [unlock] = await call(locks.optimistic, 'order:42', 3000, 4, 400);
    if (unlock) {
      await inside(500);
      await call(unlock);
    }
  }),
  warlock_touched: warlock(async (locks, call) => {
    const [unlock, id] = await call(locks.lock, 'order:42', 1000);
    if (unlock) {
      await inside(500);
      await call(locks.touch, 'order:42', id, 2000);
      await inside(500);
      await call(unlock);
    } else {
      await sleep(300);
    }
  }),
};

kinds[process.argv[2]]();
