// redlock.js - a worker with the npm package redlock, release 5.   CLIENTS: the folder whose node_modules has it.
const { createRequire } = require('module');
const load = createRequire(process.env.CLIENTS + '/');
const Redis = load('ioredis5');
const Redlock = load('redlock5').default;
const sleep = ms => new Promise(r => setTimeout(r, ms));

(async () => {
  const redis = new Redis();
  const redlock = new Redlock([redis], { retryCount: 40, retryDelay: 200, retryJitter: 0 });
  redlock.on('error', () => {});
  for (let round = 0; round < 2; round++) {
    const lock = await redlock.acquire(['order:42'], 3000);
    console.log('enter');
    await sleep(500);
    console.log('leave');
    await lock.release();
  }
  await redis.quit();
})();
