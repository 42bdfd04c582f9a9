// record.js - the recordings of npm's packages: traces of their clients, and cases of their scripts.
// Usage: node record.js FOLDER [LIBRARY...]         writes FOLDER/clients/LIBRARY-RELEASE/NAME.json and FOLDER/scripts/LIBRARY-RELEASE/NAME.jsonl
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const rig = require('./rig');
rig.take_over_time();
const { release } = require('./packages');
const libraries = require('./libraries');
const programs = require('./programs');

// A row a line, so that a change is seen where it is.
function trace_text(header, program, log) {
  return `${JSON.stringify(header).slice(0, -1)},\n"program":${JSON.stringify(program)},\n"log":[\n${log.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;
}

async function record_clients(folder, name) {
  const library = libraries[name], to = path.join(folder, 'clients', `${name}-${release(library.package)}`);
  fs.mkdirSync(to, { recursive: true });
  for (const [title, given] of Object.entries(programs[name])) {
    const program = { words: given.words, servers: given.servers || 1, threads: given.threads.map(([client, ...steps], i) => ({ thread: i + 1, client, steps })),
      events: given.events || [], fates: given.fates || [], settings: [...(given.settings || []), ...(given.servers ? [`servers=${given.servers}`] : [])],
      random: given.random || 'min', end_ms: given.end_ms || 30000 };
    const log = await rig.record(library, program);
    if (!log.some((row) => 'told' in row)) throw new Error(`${name}: ${title}: nobody was told anything`);
    fs.writeFileSync(path.join(to, `${title}.json`), trace_text({ library: name, release: release(library.package) }, program, log));
  }
}

(async () => {
  const [folder, ...wanted] = process.argv.slice(2);
  const unknown = wanted.find((name) => !(name in programs));
  if (unknown !== undefined) throw new Error(`no library ${unknown}: ${Object.keys(programs).join(', ')}`);
  for (const name of Object.keys(programs)) if (wanted.length === 0 || wanted.includes(name)) await record_clients(folder, name);
  await require('./cases').record(folder, wanted);
  await rig.finish();
  process.exit(0);
})().catch((error) => {
  console.error(`record: ${error.stack}`);
  process.exit(1);
});
