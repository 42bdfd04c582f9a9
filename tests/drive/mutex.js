// mutex.js - a worker with the Mutex of redis-semaphore.   CLIENTS: the folder whose node_modules has it.
const { createRequire } = require('module');
const load = createRequire(process.env.CLIENTS + '/');
const Redis = load('ioredis');
const { Mutex } = load('redis-semaphore');
const sleep = ms => new Promise(r => setTimeout(r, ms));

(async () => {
  const redis = new Redis();
  for (let round = 0; round < 2; round++) {
    const lock = new Mutex(redis, 'order:42',
      { lockTimeout: 3000, acquireTimeout: 20000, retryInterval: 250, refreshInterval: 0 });
    await lock.acquire();
    console.log('enter');
    await sleep(500);
    console.log('leave');
    await lock.release();
  }
  await redis.quit();
})();
