// extract.js - takes the Lua out of the fetched packages, with the calls that go with it, for tests/conformance/libraries.c.
// Usage: node extract.js FOLDER      writes FOLDER/NAME.calls and FOLDER/NAME/*.lua, and prints the path of each .calls file.
//
// No file of a package is searched, so that its layout does not matter. The library is handed a client that keeps what it is asked to
// evaluate, and does everything it can do once, with values that are known again in ARGV. And whatever Lua a library takes the SHA-1
// of is a script of its own: one that was never evaluated is an error here, not a script left out.
'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { load } = require('./packages');

const TTL = 7919, LIMIT = 53, PERMITS = 29, OWNER = 'the-owner';

const hashed = new Set();
const createHash = crypto.createHash;
crypto.createHash = (...args) => {
  const hash = createHash(...args);
  const update = hash.update.bind(hash);
  hash.update = (text, ...rest) => {
    if (/redis\.p?call/.test(text)) hashed.add(text);
    return update(text, ...rest);
  };
  return hash;
};

// A client that knows no script, so that each is sent whole, and grants everything.
function recorder() {
  const calls = [];
  const flat = (args) => args.flat(Infinity).filter((x) => typeof x !== 'function');
  const answer = (args, error, value) => {
    const callback = args.find((x) => typeof x === 'function');
    if (callback) return setImmediate(callback, error, value);
    return error ? Promise.reject(error) : Promise.resolve(value);
  };
  const client = {
    calls,
    evalsha: (...args) => answer(args, new Error('NOSCRIPT No matching script. Please use EVAL.')),
    eval: (...args) => {
      const [script, n, ...rest] = flat(args);
      calls.push({ script, keys: rest.slice(0, n), argv: rest.slice(n) });
      return answer(args, null, Number(n));
    },
  };
  for (const [name, value] of [['set', 'OK'], ['zrem', 1]])
    client[name] = (...args) => {
      calls.push({ command: [name, ...flat(args)] });
      return answer(args, null, value);
    };
  return client;
}

// The word of calls.h for one value that a library sent.
function kind(value, owners) {
  const text = String(value), number = Number(text);
  if (owners.has(text)) return 'ID';
  if (number === TTL) return 'TTL';
  if (number === LIMIT) return '1|2|3|5';
  if (number === PERMITS) return '1|2|3';
  if (Math.abs(number - Date.now()) < 60000) return 'NOW';
  for (const owner of owners) if (text.startsWith(owner)) return ['a:1', 'a:2', 'b:1'].map((o) => o + text.slice(owner.length)).join('|');
  if (/^[A-Za-z]+$/.test(text) || /^-?\d+$/.test(text)) return text;
  throw new Error(`what is ${JSON.stringify(value)} among the arguments?`);
}

// name:1 and name:2 together are name*, of which a call takes one or two.
const key_words = (keys) => (keys.length > 1 && /:1$/.test(keys[0]) ? [keys[0].replace(/1$/, '*')] : keys);

function write(folder, name, calls, owners) {
  fs.mkdirSync(path.join(folder, name), { recursive: true });
  const keys = new Set(), lines = new Set(), scripts = [];
  for (const { script, keys: k, argv, command } of calls) {
    if (command) {
      keys.add(command[1]);
      lines.add(`command ${command[0].toUpperCase()} ${command[1]} ${command.slice(2).map((v) => kind(v, owners)).join(' ')}`);
      continue;
    }
    if (!scripts.includes(script)) scripts.push(script);
    const file = `${name}/${scripts.indexOf(script) + 1}.lua`;
    fs.writeFileSync(path.join(folder, file), script);
    const words = key_words(k);
    words.forEach((word) => keys.add(word));
    lines.add(`script ${file} ${words.join(' ')} : ${argv.map((v) => kind(v, owners)).join(' ')}`);
  }
  const left = [...hashed].filter((script) => !scripts.includes(script));
  if (left.length > 0 || scripts.length === 0)
    throw new Error(`${name}: ${scripts.length} scripts were evaluated, and ${left.length} never were:\n${left.join('\n---\n')}`);
  const file = path.join(folder, `${name}.calls`);
  fs.writeFileSync(file, [`keys ${[...keys].join(' ')}`, ...lines, ''].join('\n'));
  console.log(file);
}

const libraries = {
  async redlock(client, owners) {
    const Redlock = load('redlock');
    const redlock = new Redlock([client], { retryCount: 0 });
    const lock = await redlock.lock(['res:1', 'res:2'], TTL);
    owners.add(lock.value);
    await lock.extend(TTL);
    await lock.unlock();
  },
  async redlock5(client, owners) {
    const Redlock = load('redlock5').default;
    const redlock = new Redlock([client], { retryCount: 0 });
    redlock.on('error', () => {});
    const lock = await redlock.acquire(['res:1', 'res:2'], TTL);
    owners.add(lock.value);
    const extended = await lock.extend(TTL);
    await extended.release();
  },
  async 'redis-semaphore'(client, owners) {
    const { Mutex, Semaphore, MultiSemaphore } = load('redis-semaphore');
    const options = { lockTimeout: TTL, refreshInterval: 0, identifier: OWNER };
    owners.add(OWNER);
    const held = { ...options, acquiredExternally: true };         // its first step is a refresh
    for (const one of [new Mutex(client, 'm', options), new Mutex(client, 'm', held),
      new Semaphore(client, 's', LIMIT, options), new Semaphore(client, 's', LIMIT, held),
      new MultiSemaphore(client, 's', LIMIT, PERMITS, options), new MultiSemaphore(client, 's', LIMIT, PERMITS, held)]) {
      await one.acquire();
      await one.release();
    }
  },
};

(async () => {
  const folder = process.argv[2];
  for (const [name, use] of Object.entries(libraries)) {
    hashed.clear();
    const client = recorder(), owners = new Set();
    await use(client, owners);
    write(folder, name, client.calls, owners);
  }
})().catch((error) => {
  console.error(`extract: ${error.stack}`);
  process.exit(1);
});
