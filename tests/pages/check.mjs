// check.mjs - opens pages as people do: on a desk and on a phone, by day and by night, with scripts and without. The last line is
// `N passed, N failed`. Usage: node check.mjs CHROMIUM FOLDER [PICTURES]      FOLDER holds the pages, and pictures of their stories;
// screenshots go to PICTURES.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openBrowser } from './browser.mjs';
import * as questions from './questions.mjs';

const [program, folder, pictures] = process.argv.slice(2);
let passed = 0, failed = 0;
function check(name, wrong) {
  if (wrong.length === 0) passed++;
  else {
    failed++;
    console.log(`FAIL ${name}`);
    for (const line of wrong.slice(0, 10)) console.log(`  ${line}`);
  }
}
const same = (what, is, wanted) => (JSON.stringify(is) === JSON.stringify(wanted) ? [] : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`]);

async function checkPage(browser, page, view) {
  const name = `${page}, ${view.width} wide, ${view.dark ? 'dark' : 'light'}, ${view.script ? 'with' : 'without'} scripts`;
  await browser.look(view);
  await browser.open(`file://${resolve(folder, page)}`);
  check(`${name}: contrast`, await browser.ask(questions.paleTexts));
  check(`${name}: no sideways scrolling`, await browser.ask(questions.sticksOut));
  check(`${name}: names, heads, labels`, await browser.ask(questions.unnamedParts));
  check(`${name}: nothing foreign`, await browser.ask(questions.foreignParts));
  if (pictures) writeFileSync(join(pictures, `${page}.${view.width}.${view.dark ? 'dark' : 'light'}${view.script ? '' : '.plain'}.png`), await browser.picture());
  if (!view.script) check(`${name}: every step is there`, await browser.ask(questions.hiddenSteps));
  check(`${name}: nothing sideways with all of it open`, await browser.ask(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    return [];
  }) && await browser.ask(questions.sticksOut));
  check(`${name}: no complaint, no request`, browser.troubles());
}

async function checkWalk(browser, page) {
  await browser.look({ width: 1280, dark: false, script: true });
  await browser.open(`file://${resolve(folder, page)}`);
  const first = await browser.ask(questions.walkState), last = first.steps;
  check('walk: it begins at the first step, alone', same('shown', [first.shown, first.row, first.off], [[1], 1, ['First step', 'Previous step']]));
  const press = async (label) => browser.ask((l) => document.querySelector(`.player button[aria-label="${l}"]`).click(), label);
  await press('Next step');
  let at = await browser.ask(questions.walkState);
  check('walk: a button goes on', same('shown', [at.shown, at.row, at.told], [[2], 2, `step 2 of ${last}`]));
  await browser.ask(() => document.querySelector('.player button[aria-label="Next step"]').focus());
  await browser.press('ArrowRight');
  await browser.press('ArrowRight');
  await browser.press('ArrowLeft');
  at = await browser.ask(questions.walkState);
  check('walk: arrow keys', same('shown', [at.shown, at.row], [[3], 3]));
  await press('Last step');
  at = await browser.ask(questions.walkState);
  check('walk: to the end', same('shown', [at.shown, at.off], [[last], ['Next step', 'Last step']]));
  await browser.press('ArrowRight');
  await browser.ask(() => document.querySelector('.player .row[data-step="4"] .band').dispatchEvent(new MouseEvent('click', { bubbles: true })));
  at = await browser.ask(questions.walkState);
  check('walk: a click on a row', same('shown', [at.shown, at.row], [[4], 4]));
  const link = await browser.ask(() => {
    location.hash = document.querySelectorAll('.player li[data-step]')[5].id;
    return location.hash;
  });
  await new Promise((done) => setTimeout(done, 100));
  at = await browser.ask(questions.walkState);
  check(`walk: a link to a step (${link})`, same('shown', at.shown, [6]));
  check('walk: no complaint', browser.troubles());
}

async function checkOverview(browser, page) {
  await browser.look({ width: 1400, dark: false, script: true });
  await browser.open(`file://${resolve(folder, page)}`);
  const all = await browser.ask(questions.overviewState);
  check('table: all rows at first', same('told', all.told, `${all.names.length} of ${all.names.length}`));
  await browser.ask(questions.pressButton, 'Failed only');
  const failed = await browser.ask(questions.overviewState);
  check('table: failed only', same('rows', [failed.verdicts, failed.sections], [all.verdicts.filter((v) => v !== 'PASS'), all.verdicts.filter((v) => v !== 'PASS').length]));
  await browser.ask(questions.pressButton, 'Failed only');
  await browser.ask(questions.search, 'lk010 sleeper');
  check('table: a search', same('rows', (await browser.ask(questions.overviewState)).names, ['scenarios/tour/sleeper.lua']));
  await browser.ask(questions.search, '');
  await browser.ask(questions.pressButton, 'Sort by searched');
  const sorted = (await browser.ask(questions.overviewState)).states;
  check('table: sorted by states', same('states', sorted, [...all.states].sort((a, b) => a - b)));
  await browser.ask(questions.pressButton, 'Sort by searched');
  check('table: and backwards', same('states', (await browser.ask(questions.overviewState)).states, [...sorted].reverse()));
  await browser.ask(questions.pressButton, 'Sort by verdict');
  check('table: by verdict, failures first', same('first', (await browser.ask(questions.overviewState)).verdicts[0], 'FAIL'));
  check('table: no complaint', browser.troubles());
}

async function checkHint(browser, page) {
  await browser.open(`file://${resolve(folder, page)}`);
  const { x, y } = await browser.ask(questions.rowAt, 2);
  await browser.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  const hint = await browser.ask(questions.hintState);
  check('hover: time and keys', hint && /0\.000 s/.test(hint.text) && /order:42/.test(hint.text) && hint.keys > 0 && hint.titles === 0 ? [] : [JSON.stringify(hint)]);
  await browser.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 3, y: 3 });
  check('hover: nothing beside', same('hint', await browser.ask(questions.hintState), null));
}

/* By pixels: rows that matter have a colour and a bar of their own, by day and by night; the legend fits. */
async function checkColours(browser, page) {
  for (const dark of [false, true])
    for (const width of [420, 800, 1400]) {
      const name = `${width} wide, ${dark ? 'dark' : 'light'}`;
      await browser.look({ width, dark, script: true });
      await browser.open(`file://${resolve(folder, page)}`);
      check(`legend: ${name}`, await browser.ask(questions.legendSticksOut));
      check(`overview's columns: ${name}`, await browser.ask(questions.crampedCells));
      const points = await browser.ask(questions.guiltyPoints);
      const picture = (await browser.picture()).toString('base64');
      const colours = (await browser.ask(questions.pixelsOf, picture, points)).map(String), bands = colours.filter((_, i) => i % 2 === 0);
      check(`four kinds of rows: ${name}`, same('colours', new Set(bands).size, 4));
      check(`bars at their edges: ${name}`, colours[1] !== colours[0] && colours[3] !== colours[2] && colours[1] !== colours[3] ? [] : [colours.join('  ')]);
    }
}

/* A hundred stories and more: a small page, open at once, each story there when it is opened. */
async function checkMuseum(browser) {
  const page = join(resolve(folder), 'museum/report.html'), bytes = readFileSync(page).length;
  await browser.look({ width: 1400, dark: false, script: true });
  const began = Date.now();
  await browser.open(`file://${page}`);
  const ms = Date.now() - began, count = await browser.ask(() => document.querySelectorAll('[data-story]').length);
  console.log(`museum: ${count} stories, ${bytes} bytes, open in ${ms} ms`);
  check('museum: more than 100 stories below 1 MB', count >= 100 && bytes < 1e6 ? [] : [`${count} stories, ${bytes} bytes`]);
  check('museum: open below 2 s', ms < 2000 ? [] : [`${ms} ms`]);
  await browser.ask(() => { document.querySelectorAll('details.story')[20].open = true; document.querySelectorAll('details.story')[20].scrollIntoView(); });
  for (let i = 0; i < 40 && !(await browser.ask(() => !!document.querySelector('.player.live'))); i++) await new Promise((done) => setTimeout(done, 50));
  const at = await browser.ask(questions.walkState);
  check('museum: a story opens', at.live && at.steps > 3 ? [] : [JSON.stringify(at)]);
  check('museum: only what is looked at', (await browser.ask(() => document.querySelectorAll('.player').length)) < 5 ? [] : ['more stories than one were unpacked']);
  check('museum: no complaint', browser.troubles());
  await browser.look({ width: 1400, dark: false, script: false });
  await browser.open(`file://${page}`);
  const links = await browser.ask(() => [...document.querySelectorAll('.packed a')].map((a) => a.getAttribute('href')));
  check('museum: without scripts a link for each story', same('links', links.length, count));
  await browser.open(`file://${page.replace('report.html', 'report.plain.html')}`);
  const missing = await browser.ask((all) => all.filter((l) => !document.getElementById(l.split('#')[1])), links);
  check('museum: ... to where it stands', same('missing', missing, []));
  check('museum: ... with every step', (await browser.ask(questions.hiddenSteps)).slice(0, 3));
}

/* The fonts that the browser takes for a plot: one family, and no serif. */
async function checkFonts(browser, page) {
  await browser.look({ width: 1400, dark: false, script: true });
  await browser.open(`file://${resolve(folder, page)}`);
  const plots = await browser.ask(() => [...document.querySelectorAll('.plot img')].map((i) => i.src.split(',')[1]));
  check('plots: on the page of a simulation', plots.length >= 10 ? [] : [`${plots.length} plots`]);
  await browser.send('DOM.enable');
  await browser.send('CSS.enable');
  for (const [i, plot] of plots.entries()) {
    const file = join(resolve(folder), `plot${i}.svg`);
    writeFileSync(file, Buffer.from(plot, 'base64'));
    await browser.open(`file://${file}`);
    const { root } = await browser.send('DOM.getDocument');
    const { nodeIds } = await browser.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: 'text' });
    const families = new Set();
    for (const nodeId of nodeIds) for (const f of (await browser.send('CSS.getPlatformFontsForNode', { nodeId })).fonts) families.add(f.familyName);
    check(`plot ${i}: one family, without serifs`, families.size === 1 && ![...families].some((f) => /times|serif|roman/i.test(f)) ? [] : [[...families].join(', ') || 'no text']);
  }
  await browser.send('CSS.disable');
}

/* A log's timeline: pictures that show something, marks with their lines, and each hold and wait in a table, too. */
async function checkTrace(browser, page) {
  for (const width of [420, 800, 1400]) {
    await browser.look({ width, dark: false, script: false });
    await browser.open(`file://${resolve(folder, page)}`);
    const at = await browser.ask(questions.timelineState);
    const name = `timeline: ${width} wide`;
    check(`${name}: an overview and a window`, same('pictures', at.pictures, 2));
    check(`${name}: bars that can be seen`, at.narrow.length || at.bars < 5 ? [`${at.bars} bars`, ...at.narrow] : []);
    check(`${name}: each finding is marked with its line`, same('lines without a mark', at.unmarked, []));
    check(`${name}: words do not run over each other`, at.meeting);
    check(`${name}: every hold and wait in a table`, same('rows', at.rows, at.told));
  }
  check('timeline: no complaint', browser.troubles());
}

const browser = await openBrowser(program);
try {
  const pages = readdirSync(folder).filter((f) => f.endsWith('.html')).sort();
  check('pages were found', pages.length > 1 ? [] : ['none']);
  for (const page of pages)
    for (const view of [{ width: 1400, dark: false, script: true }, { width: 1400, dark: true, script: false }, { width: 800, dark: true, script: true },
      { width: 420, dark: false, script: false }, { width: 420, dark: true, script: true }])
      await checkPage(browser, page, view);
  await checkWalk(browser, pages[0]);
  await checkOverview(browser, pages[0]);
  await checkHint(browser, pages[0]);
  await checkColours(browser, pages[0]);
  await checkMuseum(browser);
  await checkTrace(browser, pages.includes('trace.html') ? 'trace.html' : 'none');
  await checkFonts(browser, pages.includes('simulation.html') ? 'simulation.html' : 'none');
  const svgs = readdirSync(folder).filter((f) => f.endsWith('.svg')).sort();
  check('pictures were found', svgs.length > 5 ? [] : ['none']);
  check('every picture is an SVG', await browser.ask(questions.brokenPictures, Object.fromEntries(svgs.map((f) => [f, readFileSync(join(folder, f), 'utf8')]))));
  for (const svg of svgs.slice(0, 2)) {
    await browser.open(`file://${resolve(folder, svg)}`);
    check(`${svg}: by itself`, browser.troubles());
  }
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
