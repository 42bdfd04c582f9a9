// servers.js - the servers that the client libraries are tried against: `locksim serve` with a manual clock, and a real redis-server 7.0,
// whose clock is held by tests/conformance/held_clock.c.
//
// for_each_server(fn) defines the same tests for both, so that every outcome written in a test is what the real server does, too.
// Both listen on unix sockets below a folder of their own and end with the test. CLIENTS_SERVERS=real or locksim runs one of them only.
'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { after, before, describe } = require('node:test');
const { load } = require('./packages');

const LISTENS_MS = 20000;
const build = path.resolve(process.env.BUILD || path.join(__dirname, '../../build'));
const locksim_program = process.env.LOCKSIM || path.join(build, 'locksim');
const START_US = 1700000000000000n;

async function listens(child, socket) {
  const end = Date.now() + LISTENS_MS;
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  child.stdout.resume();
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server ended: ${said}`);
    const there = await new Promise((resolve) => {
      const c = net.connect(socket, () => c.end(() => resolve(true)));
      c.on('error', () => resolve(false));
    });
    if (there) return;
    if (Date.now() > end) throw new Error(`the server does not listen after ${LISTENS_MS} ms: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

class Server {
  constructor(name) {
    this.name = name;
    this.open = [];
  }

  async start() {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'locksim-clients.'));
    this.socket = path.join(this.folder, 's');
    let program = locksim_program, args = ['serve', '--unix', this.socket, '--clock', 'manual'], env = process.env;
    if (this.name === 'real') {
      const clock = path.join(this.folder, 'clock');
      program = path.join(this.folder, 'redis-server');          // the one binary is the server by its name
      fs.symlinkSync(process.env.REDIS_SERVER, program);
      fs.writeFileSync(clock, new Uint8Array(BigInt64Array.of(START_US).buffer));
      env = { ...env, TZ: 'UTC', LD_PRELOAD: path.join(build, 'tests/conformance/held_clock.so'), HELD_CLOCK: clock };
      args = ['--port', '0', '--unixsocket', this.socket, '--save', '', '--appendonly', 'no', '--dir', this.folder, '--enable-debug-command', 'yes',
        '--jemalloc-bg-thread', 'no'];
    }
    this.child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.child.on('error', () => {});
    await listens(this.child, this.socket);
  }

  // Time goes by: for both in the way that both have, and for locksim in its own way every other time.
  async advance(client, ms) {
    this.advanced = !this.advanced;
    if (this.name === 'locksim' && this.advanced) await client.call('CLOCK', 'ADVANCE', ms);
    else await client.call('DEBUG', 'SLEEP', `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}0005`);
  }

  async stop() {
    for (const client of this.open.splice(0)) client.disconnect();
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  // An ioredis client, closed with the server. A test that forgets an answer fails at once instead of waiting for it.
  client(options = {}, Redis = load('ioredis')) {
    const client = new Redis({ path: this.socket, maxRetriesPerRequest: 0, retryStrategy: null, commandTimeout: 10000, ...options });
    client.on('error', () => {});
    this.open.push(client);
    return client;
  }

  // Bytes sent as they are, a list of them one after the other with time to be read; resolves to what came back when `enough` of that says
  // so, or when the server closed the connection.
  raw(bytes, enough = () => false) {
    return new Promise((resolve, reject) => {
      const parts = [bytes].flat(), c = net.connect(this.socket);
      const send = () => parts.length > 0 && !c.destroyed && c.write(parts.shift(), () => setImmediate(send));
      let text = '';
      c.setNoDelay(true);
      c.on('connect', send);
      c.on('data', (more) => {
        text += more.toString('latin1');
        if (enough(text)) c.destroy();
      });
      c.on('error', (error) => (/ECONNRESET|EPIPE/.test(error.code) ? resolve(text) : reject(error)));
      c.on('close', () => resolve(text));
    });
  }
}

const wanted = (process.env.CLIENTS_SERVERS || 'locksim real').split(' ').filter((name) => name !== 'real' || process.env.REDIS_SERVER);

// fn(server) defines the tests of one server, which runs while they do.
function for_each_server(fn) {
  for (const name of wanted)
    describe(name, () => {
      const server = new Server(name);
      before(() => server.start());
      after(() => server.stop());
      fn(server);
    });
}

module.exports = { START_US, Server, for_each_server, wanted };
