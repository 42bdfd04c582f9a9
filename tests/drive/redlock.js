// redlock.js - a worker with the npm package redlock, release 5, over as many servers as it is told ports of (none:
// one).   CLIENTS: the folder whose node_modules has it.
const { createRequire } = require('module');
const load = createRequire(process.env.CLIENTS + '/');
const Redis = load('ioredis5');
const Redlock = load('redlock5').default;
const sleep = ms => new Promise(r => setTimeout(r, ms));
const ports = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [6379];

(async () => {
  const servers = ports.map(port => new Redis(port));
  const redlock = new Redlock(servers, { retryCount: 40, retryDelay: 200, retryJitter: 0 });
  redlock.on('error', () => {});
  for (let round = 0; round < 2; round++) {
    const lock = await redlock.acquire(['order:42'], 3000);
    console.log('enter');
    await sleep(500);
    console.log('leave');
    await lock.release();
  }
  for (const server of servers) await server.quit();
})();
