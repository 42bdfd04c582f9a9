// browser.mjs - headless Chromium through its DevTools protocol on a pipe: no package, no port. One page, and all that went wrong on it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--remote-debugging-pipe'];

export async function openBrowser(program) {
  const profile = mkdtempSync(join(tmpdir(), 'locksim-pages-'));
  const child = spawn(program, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const [, , , to, from] = child.stdio;
  const waiting = new Map(), listeners = [];
  let number = 0, rest = '', session;
  from.setEncoding('utf8');
  from.on('data', (text) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (message.id) {
        const { resolve, reject, method } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) reject(new Error(`${method}: ${message.error.message}`));
        else resolve(message.result);
      } else {
        for (const listener of listeners) listener(message.method, message.params);
      }
    }
  });
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++number, { resolve, reject, method });
    to.write(`${JSON.stringify({ id: number, method, params, sessionId: session })}\0`);
  });
  const { targetInfos } = await send('Target.getTargets');
  const { sessionId } = await send('Target.attachToTarget', { targetId: targetInfos.find((t) => t.type === 'page').targetId, flatten: true });
  session = sessionId;
  const troubles = [];
  const event = (name) => new Promise((resolve) => {
    listeners.push(function once(method) {
      if (method === name) {
        listeners.splice(listeners.indexOf(once), 1);
        resolve();
      }
    });
  });
  listeners.push((method, params) => {
    if (method === 'Runtime.exceptionThrown') troubles.push(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    if (method === 'Runtime.consoleAPICalled') troubles.push(`console.${params.type}: ${params.args.map((a) => a.value).join(' ')}`);
    if (method === 'Log.entryAdded') troubles.push(`${params.entry.level}: ${params.entry.text}`);
    if (method === 'Network.requestWillBeSent' && !/^(file|data):/.test(params.request.url)) troubles.push(`asked for ${params.request.url}`);
    if (method === 'Page.javascriptDialogOpening') {
      troubles.push(`a dialog: ${params.message}`);
      send('Page.handleJavaScriptDialog', { accept: true });
    }
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
  return {
    send,
    /* What went wrong since it was asked last. */
    troubles: () => troubles.splice(0),
    async look({ width, dark, script }) {
      await send('Emulation.setDeviceMetricsOverride', { width, height: 844, deviceScaleFactor: 1, mobile: width < 600 });
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
      await send('Emulation.setScriptExecutionDisabled', { value: !script });
    },
    async open(url) {
      const loaded = event('Page.loadEventFired');
      await send('Page.navigate', { url });
      await loaded;
    },
    /* Runs a function of no closure on the page, whose own scripts may be off. */
    async ask(fn, ...args) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', { expression: `(${fn})(${args.map((a) => JSON.stringify(a)).join(',')})`, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async press(key) {
      for (const type of ['keyDown', 'keyUp']) await send('Input.dispatchKeyEvent', { type, key, code: key });
    },
    async picture() {
      return Buffer.from((await send('Page.captureScreenshot', { captureBeyondViewport: true })).data, 'base64');
    },
    async close() {
      await send('Browser.close').catch(() => {});
      await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve()));
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
