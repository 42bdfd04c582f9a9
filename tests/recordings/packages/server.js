// server.js - one `locksim serve` with a manual clock, or one real redis-server whose clock is held (tests/conformance/held_clock.c), on a unix
// socket of its own.
'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const LISTENS_MS = 20000;
const later = setTimeout, RealDate = Date;
const build = path.resolve(__dirname, '../../..', process.env.BUILD || 'build');
const program = process.env.LOCKSIM || path.join(build, 'locksim');

class Server {
  async start() {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'locksim-recordings.'));
    this.socket = path.join(this.folder, 's');
    this.child = this.spawn();
    const end = RealDate.now() + LISTENS_MS;
    while (!(await this.listens())) {
      if (this.child.exitCode !== null || RealDate.now() > end) throw new Error('the server does not listen');
      await new Promise((resolve) => later(resolve, 10));
    }
  }
  spawn() {
    return spawn(program, ['serve', '--unix', this.socket, '--clock', 'manual'], { stdio: 'ignore' });
  }
  listens() {
    return new Promise((resolve) => {
      const c = net.connect(this.socket, () => c.end(() => resolve(true)));
      c.on('error', () => resolve(false));
    });
  }
  async stop() {
    if (this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

class RealServer extends Server {
  spawn() {
    const redis = path.join(this.folder, 'redis-server');          // the one binary is the server by its name
    fs.symlinkSync(process.env.REDIS_SERVER, redis);
    this.clock = path.join(this.folder, 'clock');
    this.set_clock(1700000000000);
    const env = { ...process.env, TZ: 'UTC', LD_PRELOAD: path.join(build, 'tests/conformance/held_clock.so'), HELD_CLOCK: this.clock };
    return spawn(redis, ['--port', '0', '--unixsocket', this.socket, '--save', '', '--appendonly', 'no', '--dir', this.folder,
      '--enable-debug-command', 'yes', '--jemalloc-bg-thread', 'no', '--hz', '1'], { stdio: 'ignore', env });
  }
  set_clock(ms) {
    const fd = fs.openSync(this.clock, fs.existsSync(this.clock) ? 'r+' : 'w');
    fs.writeSync(fd, new Uint8Array(BigInt64Array.of(BigInt(ms) * 1000n).buffer), 0, 8, 0);
    fs.closeSync(fd);
  }
}

module.exports = { RealServer, Server };
