// lock.js - a lock with node and nothing else: SET NX PX, then DEL. The lease is long enough for it.
const net = require('net');
const s = net.connect(6379, '127.0.0.1');
let waiting = [];
s.on('data', d => { const w = waiting.shift(); if (w) w(String(d)); });
const ask = line => new Promise(r => { waiting.push(r); s.write(line + '\r\n'); });
const sleep = ms => new Promise(r => setTimeout(r, ms));
(async () => {
  const me = require('crypto').randomBytes(8).toString('hex');
  while (!(await ask(`set lock ${me} nx px 1000`)).startsWith('+')) await sleep(100);
  console.log('enter');
  await sleep(50);
  console.log('leave');
  await ask('del lock');
  s.end();
})();
