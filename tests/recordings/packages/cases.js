// cases.js - cases of the packages' scripts: every keyspace of a small grammar and every list of arguments, run by a real redis-server 7.0 whose
// clock is held. The script is the text that the library itself had evaluated (rig.js).
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { Connection, EPOCH_MS, scripts, sha_of } = require('./rig');
const { RealServer } = require('./server');
const { release } = require('./packages');
const libraries = require('./libraries');
const grammar = require('./grammar');

const dump = `
local all = {} local names = redis.call('keys', '*') table.sort(names)
for i, name in ipairs(names) do
  local kind, value = redis.call('type', name).ok, nil
  if kind == 'string' then value = { redis.call('get', name) }
  elseif kind == 'list' then value = redis.call('lrange', name, 0, -1)
  elseif kind == 'zset' then value = redis.call('zrange', name, 0, -1, 'withscores')
  else value = redis.call('hgetall', name) end
  all[i] = { name, kind, value, redis.call('pttl', name) }
end return all`;

const pairs = (flat) => Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]));

function key_of([key, type, value, pttl]) {
  const values = { string: () => value[0], list: () => value, zset: () => pairs(value), hash: () => pairs(value) };
  return { key, type, value: values[type](), pttl };
}

const kinds_of_error = /^(attempt to (compare|concatenate|index|call|perform arithmetic|get length)|bad argument)/;

// An error as the recordings have it: without what Redis appends about the script; of a run-time error of Lua its kind only.
function reply_of(value) {
  if (value instanceof Error) {
    const text = value.message.replace(/ script: [0-9a-f]{40}.*$/, '');
    const ran = /^ERR user_script:\d+: (.*)$/.exec(text);
    return { error: ran ? `ERR user_script: ${kinds_of_error.exec(ran[1])?.[0] ?? ran[1]}` : text };
  }
  if (Array.isArray(value)) return { array: value.map(reply_of) };
  if (value === null) return { nil: true };
  return typeof value === 'number' ? { int: value } : value === 'OK' ? { status: value } : { bulk: value };
}

const product = (lists) => lists.reduce((all, list) => all.flatMap((head) => list.map((item) => [...head, item])), [[]]);

// All cases of a script: a keyspace of one alternative per key, a length of time that passes, and one list of arguments.
function* cases_of(spec) {
  for (const names of spec.keys)
    for (const states of product(names.map((name) => spec.states(name))))
      for (const sleep of spec.sleeps)
        for (const argv of spec.argv) {
          if (names.length > 1 && argv.malformed) continue;
          const before = [...states.flatMap((s) => s.commands), ...(sleep ? [['debug', 'sleep', String(sleep)]] : [])];
          yield { before, keys: names, argv: argv.words, malformed: Boolean(argv.malformed || states.some((s) => s.malformed)) };
        }
}

class Judge {
  async start() {
    this.server = new RealServer();
    await this.server.start();
    this.caller = new Connection(this.server.socket);
    this.messages = [];
    this.listener = new Connection(this.server.socket, (channel, text) => this.messages.push([channel, text]));
  }
  async listen(channels) {
    for (const channel of channels) await this.listener.ask(['SUBSCRIBE', channel]);
  }
  async outcome(text, c) {
    this.server.set_clock(EPOCH_MS);
    await this.caller.ask(['flushall']);
    this.messages.length = 0;
    for (const command of c.before) {
      const answer = await this.caller.ask(command);
      if (answer instanceof Error) throw answer;
    }
    const reply = reply_of(await this.caller.ask(['EVAL', text, c.keys.length, ...c.keys, ...c.argv]));
    const all = await this.caller.ask(['EVAL', dump, 0]);
    if (this.listens) await this.listener.ask(['PING']);
    return { now_ms: EPOCH_MS, ...c, malformed: undefined, reply, after: all.map(key_of), messages: [...this.messages], ...(c.malformed ? { malformed: true } : {}) };
  }
  async stop() {
    this.caller.close();
    this.listener.close();
    await this.server.stop();
  }
}

async function record_script(judge, folder, library, name, spec) {
  const text = [...scripts.values()].find((one) => library.scripts.find(([form]) => form.test(one))?.[1] === `${name}.lua`);
  if (!text) throw new Error(`the library never had ${name} evaluated`);
  judge.listens = Boolean(spec.channels);
  if (spec.channels) await judge.listen(spec.channels);
  const rows = [];
  for (const c of cases_of(spec)) rows.push(await judge.outcome(text, c));
  const header = { library: library.package, release: release(library.package), class: spec.class, method: spec.method, sha1: sha_of(text), script: name,
    keys: spec.key_words, argv: spec.argv_words, malformed: rows.filter((row) => row.malformed).length, cases: rows.length };
  const to = path.join(folder, 'scripts', `${library.package}-${header.release}`);
  fs.mkdirSync(to, { recursive: true });
  fs.writeFileSync(path.join(to, `${name.split('/').slice(1).join('.')}.jsonl`), [header, ...rows].map((row) => JSON.stringify(row)).join('\n') + '\n');
}

async function record(folder, wanted) {
  const judge = new Judge();
  await judge.start();
  for (const [name, specs] of Object.entries(grammar)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const library = libraries[name], own = library.scripts.map(([, file]) => file);
    for (const file of own) if (!specs[file.replace(/\.lua$/, '')]) throw new Error(`no cases for ${file}`);
    for (const [script, spec] of Object.entries(specs)) await record_script(judge, folder, library, script, spec);
  }
  await judge.stop();
}

module.exports = { record };
