// rig.js - unmodified npm clients on a virtual clock, against servers of `locksim serve --clock manual`: what they ask and what they tell their
// callers, as a trace (../clients/README.md). One program, one order: the same bytes each time.
//
// A library gets the objects of ioredis or node-redis that it expects. They encode requests and decode replies; what lies between is here: each
// request waits for its turn, meets its fate, goes to its server, and is answered. Timers and Date are ours and move when nothing else is left
// to do. The random numbers of jitter are a program's `random`; ids are known by their form and named t1, t2... as they come.
'use strict';
const crypto = require('node:crypto');
const net = require('node:net');
const { load, folder } = require('./packages');
const { Server } = require('./server');

const EPOCH_MS = 1700000000000, ROUNDS_AT_ONCE_MAX = 2000;
const soon = setImmediate, RealDate = Date;

// ---- the clock ----
const clock = { now_ms: 0, timers: new Map(), next: 1, random: () => 0 };

class Timer {
  constructor(id) {
    this.id = id;
  }
  ref() { return this; }
  unref() { return this; }
  hasRef() { return true; }
  [Symbol.toPrimitive]() { return this.id; }
}

// As Node has it: a delay that is no number of 1 ms or more is 1 ms, and a part of a millisecond is dropped.
function set_timer(fn, ms, args, repeats) {
  const delay = ms >= 1 && ms <= 2147483647 ? Math.trunc(ms) : 1;
  const timer = new Timer(clock.next++);
  clock.timers.set(timer.id, { at: clock.now_ms + delay, every: repeats ? delay : 0, run: () => fn(...args) });
  return timer;
}

const clear_timer = (timer) => timer != null && clock.timers.delete(timer.id ?? timer);

function take_over_time() {
  global.setTimeout = (fn, ms, ...args) => set_timer(fn, ms, args, false);
  global.setInterval = (fn, ms, ...args) => set_timer(fn, ms, args, true);
  global.clearTimeout = global.clearInterval = clear_timer;
  global.Date = class extends RealDate {
    constructor(...args) {
      super(...(args.length ? args : [EPOCH_MS + clock.now_ms]));
    }
    static now() { return EPOCH_MS + clock.now_ms; }
  };
  Math.random = () => clock.random();
}

function next_timer() {
  let first = null;
  for (const [id, timer] of clock.timers) if (!first || timer.at < first.timer.at) first = { id, timer };
  return first;
}

function fire({ id, timer }) {
  if (timer.every) timer.at += timer.every;
  else clock.timers.delete(id);
  timer.run();
}

// ---- scripts: whatever Lua a library takes the SHA-1 of, or loads ----
const scripts = new Map();                                        // sha -> text
const sha_of = (text) => realHash('sha1').update(text).digest('hex');
const realHash = crypto.createHash;
crypto.createHash = (...args) => {
  const hash = realHash(...args), update = hash.update.bind(hash);
  hash.update = (text, ...rest) => {
    if (typeof text === 'string' && /redis\.p?call/.test(text)) scripts.set(sha_of(text), text);
    return update(text, ...rest);
  };
  return hash;
};

// ---- one connection ----
class Connection {
  constructor(socket_path, on_push) {
    const Parser = load('redis-parser');
    this.waiting = [];
    this.on_push = on_push;
    this.parser = new Parser({
      returnReply: (value) => this.take(value),
      returnError: (error) => this.take(error),
      returnFatalError: (error) => { throw error; },
    });
    this.socket = net.connect(socket_path);
    this.socket.on('data', (bytes) => this.parser.execute(bytes));
  }
  take(value) {
    if (this.on_push && Array.isArray(value) && value[0] === 'message') this.on_push(value[1], value[2]);
    else this.waiting.shift()(value);
  }
  ask(words) {
    const bytes = [Buffer.from(`*${words.length}\r\n`)];
    for (const word of words) {
      const part = Buffer.isBuffer(word) ? word : Buffer.from(String(word));
      bytes.push(Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n'));
    }
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.socket.write(Buffer.concat(bytes));
    });
  }
  close() { this.socket.destroy(); }
}

// ---- a run ----
class Run {
  constructor(library, program, servers) {
    Object.assign(this, { library, program, servers, log: [], queue: [], tokens: new Map(), matched: [], subscribers: [], calls: 0 });
    this.hung = new Set();
    this.fates = (program.fates || []).map((line) => {
      const [part, thread, nth, kind, ms] = line.split(' ');
      const client = program.threads.find((t) => String(t.thread) === thread)?.client;
      return { part, client, nth: Number(nth), kind, ms: Number(ms), met: 0 };
    });
  }

  // Ids and instants as the traces have them.
  word(value) {
    let text = Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
    if (/^17\d{11}$/.test(text)) {
      const off = Number(text) - EPOCH_MS - clock.now_ms;
      return off === 0 ? 'now' : `now${off > 0 ? '+' : ''}${off}`;
    }
    return text.replace(this.library.token, (id) => {
      if (!this.tokens.has(id)) this.tokens.set(id, `t${this.tokens.size + 1}`);
      return this.tokens.get(id);
    });
  }
  reply(value) {
    if (value instanceof Error) return { error: value.message.split(' ')[0] };
    if (Array.isArray(value)) return value.map((item) => this.reply(item));
    if (value === null || typeof value === 'number') return value;
    return this.word(value);
  }
  name_of(text) {
    const found = this.library.scripts.find(([form]) => form.test(text));
    if (!found) throw new Error(`no name for the script\n${text}`);
    return found[1];
  }
  describe(words) {
    const verb = String(words[0]).toUpperCase(), plain = words.map((w) => this.word(w));
    if (verb === 'EVALSHA' || verb === 'EVAL') {
      const text = verb === 'EVAL' ? String(words[1]) : scripts.get(String(words[1])), n = Number(words[2]);
      const row = { script: this.name_of(text), keys: plain.slice(3, 3 + n), argv: plain.slice(3 + n) };
      return verb === 'EVAL' ? { command: 'EVAL', ...row } : row;
    }
    if (verb === 'SCRIPT') return { command: 'SCRIPT LOAD', script: this.name_of(String(words[2])) };
    if (verb === 'SUBSCRIBE' || verb === 'UNSUBSCRIBE') return { command: verb, channels: plain.slice(1) };
    return { command: verb, args: plain.slice(1) };
  }

  note(row) { this.log.push({ at_ms: clock.now_ms, ...row }); }

  // What becomes of a request, by the program's fates: { late, delay } in ms.
  fate_of(request) {
    const fate = { late: 0, delay: 0 };
    for (const f of this.fates) {
      const name = request.row.script || request.row.command;
      if (!(request.row.script ? name.includes(f.part) : name === f.part) || (f.client && f.client !== request.client)) continue;
      if (++f.met === f.nth || f.nth === 0) fate[f.kind] = f.ms;
    }
    return fate;
  }

  // At this instant, to which its times are relative.
  row_of({ client, server, words }) {
    return { client, ...(this.servers.length > 1 ? { server: server + 1 } : {}), ...this.describe(words) };
  }

  // A request of a client: its answer as a promise of a raw reply.
  send(client, server, words) {
    return new Promise((resolve, reject) => {
      if (String(words[0]).toUpperCase() === 'SCRIPT') scripts.set(sha_of(String(words[2])), String(words[2]));
      const request = { client, server, words, resolve, reject };
      request.row = this.row_of(request);
      const fate = this.fate_of(request);
      request.late = fate.late;
      if (this.hung.has(server)) return this.note(request.row);
      if (fate.delay) {
        this.note({ ...request.row, sent_only: true });
        set_timer(() => this.queue.push(request), fate.delay, [], false);
      } else this.queue.push(request);
    });
  }
  async execute(request) {
    const reply = request.subscriber ? await request.subscriber.ask(request.words) : await this.connections[request.server].ask(request.words);
    const loads = String(request.words[0]).toUpperCase() === 'SCRIPT';
    this.note({ ...this.row_of(request), ...(loads ? {} : { reply: this.reply(reply) }) });
    const answer = () => (reply instanceof Error ? request.reject(reply) : request.resolve(reply));
    if (request.late) set_timer(answer, request.late, [], false);
    else answer();
    for (const subscriber of this.subscribers) await subscriber.connection.ask(['PING']);
  }
  subscriber(client) {
    const handlers = new Map(), run = this;
    const connection = new Connection(this.servers[0].socket, (channel, text) => {
      run.note({ to: client, message: run.word(channel), payload: run.word(text) });
      handlers.get(channel)?.(text, channel);
    });
    this.subscribers.push({ connection });
    return {
      isOpen: false,
      on() { return this; },
      async connect() { this.isOpen = true; return this; },
      subscribe(channel, handler) {
        handlers.set(channel, handler);
        return new Promise((resolve, reject) => run.queue.push({ client, server: 0, words: ['SUBSCRIBE', channel], late: 0, subscriber: connection,
          resolve, reject }));
      },
      async unsubscribe() {},
      async close() { this.isOpen = false; },
    };
  }

  // One call of a program, "AT CALL KIND:NAME key=value...".
  async step(thread, text) {
    const [at, call, object, ...rest] = text.split(' ');
    const wait = Number(at) - clock.now_ms;
    if (wait > 0) await new Promise((resolve) => set_timer(resolve, wait, [], false));
    const [kind, name] = object.split(':'), step = { call, kind, name };
    for (const part of rest) step[part.split('=')[0]] = Number(part.split('=')[1]);
    this.note({ client: thread.client, call: `${call} ${object}${rest.length ? ' ' + rest.join(' ') : ''}` });
    let told;
    try {
      const got = await this.library.call(thread, step);
      told = got === undefined ? 'returned' : got;
    } catch (error) {
      told = this.library.reason(error);
    }
    this.note({ client: thread.client, told: typeof told === 'number' ? told : this.word(told) });
  }
  async follow(thread, steps) {
    for (const text of steps) await this.step(thread, text);
  }

  async settle() {
    for (let i = 0; i < 4; i++) await new Promise((resolve) => soon(resolve));
  }
  // Goes on until nothing is left to do, or the program's end has come.
  async loop() {
    for (let rounds = 0; ; rounds++) {
      if (rounds > ROUNDS_AT_ONCE_MAX) throw new Error('a loop that takes no time');
      await this.settle();
      const request = this.queue.shift();
      if (request) {
        await this.execute(request);
        continue;
      }
      const timer = next_timer();
      if (!timer || timer.timer.at > this.program.end_ms) return;
      const ms = timer.timer.at - clock.now_ms;
      if (ms > 0) {
        for (const connection of this.connections) await connection.ask(['CLOCK', 'ADVANCE', ms]);
        clock.now_ms = timer.timer.at;
        rounds = 0;
      }
      fire(timer);
    }
  }

  event(text) {
    const [at, what, ...words] = text.split(' ');
    const run = async () => {
      if (what === 'hang') this.hung.add(Number(words[0]) - 1);
      else if (what === 'command') await this.connections[0].ask(words);
      else throw new Error(`the event '${text}'`);
    };
    set_timer(() => this.queue.push({ run }), Number(at), [], false);
  }

  async play() {
    clock.now_ms = 0;
    clock.timers.clear();
    clock.random = this.library.random || (() => (this.program.random === 'max' ? 0.999999 : 0));
    this.connections = this.servers.map((server) => new Connection(server.socket));
    for (const connection of this.connections) {
      await connection.ask(['FLUSHALL']);
      await connection.ask(['SCRIPT', 'FLUSH']);
      await connection.ask(['CLOCK', 'SET', EPOCH_MS]);
    }
    const threads = this.program.threads.map(({ thread, client, steps }) => {
      const made = { client, number: thread, objects: new Map(), state: {} };
      made.library = this.library.make(made, this, this.servers.map((_, i) => i));
      return { made, steps };
    });
    if (!(this.program.settings || []).includes('cold'))
      for (const connection of this.connections) for (const text of scripts.values()) await connection.ask(['SCRIPT', 'LOAD', text]);
    const execute = this.execute.bind(this);
    this.execute = (request) => (request.run ? request.run() : execute(request));
    for (const text of this.program.events || []) this.event(text);
    for (const { made, steps } of threads) this.follow(made, steps);
    await this.loop();
    for (const connection of [...this.connections, ...this.subscribers.map((s) => s.connection)]) connection.close();
    return this.log;
  }
}

// An ioredis client whose requests go through the run.
function ioredis(run, client, server) {
  const Redis = load('ioredis'), real = new Redis({ lazyConnect: true });
  real.sendCommand = (command) => {
    run.send(client, server, [command.name, ...command.args]).then((reply) => command.resolve(reply), (error) => command.reject(error));
    return command.promise;
  };
  return real;
}

// A node-redis client (its package by `name`) likewise.
function node_redis(run, client, server, name) {
  const real = load(name).createClient();
  real.sendCommand = (words) => run.send(client, server, words);
  if (real._self) real._self.sendCommand = real.sendCommand;       // what is handed out stands before the client itself
  real.duplicate = () => run.subscriber(client);
  return real;
}

// A package anew, as another process would have it.
function fresh(name) {
  for (const file of Object.keys(require.cache)) if (file.startsWith(`${folder}/node_modules/${name}/`)) delete require.cache[file];
  return load(name);
}

const servers = [];
async function started(count) {
  while (servers.length < count) {
    const server = new Server();
    await server.start();
    servers.push(server);
  }
  return servers.slice(0, count);
}

async function record(library, program) {
  const run = new Run(library, program, await started(program.servers || 1));
  return run.play();
}

const finish = () => Promise.all(servers.map((server) => server.stop()));

module.exports = { Connection, EPOCH_MS, sha_of, finish, fresh, ioredis, node_redis, record, scripts, take_over_time };
