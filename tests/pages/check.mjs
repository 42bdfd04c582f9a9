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

const browser = await openBrowser(program);
try {
  const pages = readdirSync(folder).filter((f) => f.endsWith('.html')).sort();
  check('pages were found', pages.length > 1 ? [] : ['none']);
  for (const page of pages)
    for (const view of [{ width: 1280, dark: false, script: true }, { width: 1280, dark: true, script: false }, { width: 390, dark: false, script: false },
      { width: 390, dark: true, script: true }])
      await checkPage(browser, page, view);
  await checkWalk(browser, pages[0]);
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
