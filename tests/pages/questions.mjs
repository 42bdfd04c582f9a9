// questions.mjs - what is asked of a page, from within it. Each function stands alone and answers with a list of what is wrong.

/* Text that cannot be read: the contrast of WCAG 2.1 (1.4.3) against the nearest background, 4.5 for text of any size. */
export function paleTexts() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return [colour];
    }
    return [rgba('white')];
  };
  const seen = new Map();
  for (const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT); walker.nextNode();) {
    const element = walker.currentNode.parentElement, style = getComputedStyle(element);
    if (!walker.currentNode.data.trim() || element.closest('script,style,head') || element.closest('button:disabled')) continue;
    const inPicture = element.closest('svg');
    if (inPicture && element.localName !== 'text') continue;
    const colour = inPicture ? style.fill : style.color;
    const grounds = inPicture ? [...behind(inPicture), ...[...inPicture.querySelectorAll('.broke .band,.blamed .band,.decides .band')].map((b) => rgba(getComputedStyle(b).fill))] : behind(element);
    for (const ground of grounds) seen.set(`${colour} on ${[...ground].slice(0, 3)} (${element.className?.baseVal ?? element.className ?? ''} ${element.localName})`, contrast(rgba(colour), ground));
  }
  if (seen.size < 5) return ['hardly any text was found'];
  return [...seen].filter(([, ratio]) => ratio < 4.5).map(([what, ratio]) => `${what}: ${ratio.toFixed(2)}`);
}

/* Wider than the window: the page itself must not scroll sideways. */
export function sticksOut() {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > width + 1 && !e.closest('.diagram,pre'))
    .slice(0, 5).map((e) => `${e.localName}.${e.className} reaches to ${Math.round(e.getBoundingClientRect().right)} of ${width}`).concat('the page scrolls sideways');
}

/* What a screen reader and a keyboard go by. */
export function unnamedParts() {
  const wrong = [], ids = new Set();
  if (!document.documentElement.lang) wrong.push('no language');
  if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
  let level = 1;
  for (const h of document.querySelectorAll('h1,h2,h3,h4')) {
    if (+h.localName[1] > level + 1) wrong.push(`a heading skips a level: ${h.textContent}`);
    level = +h.localName[1];
  }
  for (const e of document.querySelectorAll('[id]')) {
    if (ids.has(e.id)) wrong.push(`two of id ${e.id}`);
    ids.add(e.id);
  }
  for (const e of document.querySelectorAll('[aria-labelledby]'))
    for (const id of e.getAttribute('aria-labelledby').split(' ')) if (!document.getElementById(id)?.textContent.trim()) wrong.push(`no label ${id}`);
  for (const e of document.querySelectorAll('svg')) if (e.getAttribute('aria-hidden') !== 'true' && (e.getAttribute('role') !== 'img' || !e.querySelector(':scope > title')?.textContent)) wrong.push('an svg without role or title');
  for (const e of document.querySelectorAll('img')) if (!e.alt) wrong.push('an image without alt');
  for (const e of document.querySelectorAll('th')) if (!e.scope) wrong.push(`a table's head without scope: ${e.textContent}`);
  for (const e of document.querySelectorAll('table')) if (!e.querySelector('th')) wrong.push('a table without heads');
  for (const e of document.querySelectorAll('button,input')) if (!e.getAttribute('aria-label')) wrong.push('a control without a name');
  for (const e of document.querySelectorAll('a[href^="#"]')) if (!document.getElementById(e.getAttribute('href').slice(1))) wrong.push(`a link to nothing: ${e.getAttribute('href')}`);
  return wrong;
}

/* Elements and attributes that the page never writes: something came through from outside. */
export function foreignParts() {
  const wrong = [];
  for (const e of document.querySelectorAll('*')) {
    if (/^(iframe|object|embed|link|form|base|foreignobject|use|image|animate|set)$/i.test(e.localName)) wrong.push(`<${e.localName}>`);
    for (const a of e.attributes) if (/^on/i.test(a.name) || /^\s*javascript:/i.test(a.value)) wrong.push(`${e.localName} ${a.name}=${a.value}`);
  }
  if (document.querySelectorAll('script').length !== 1) wrong.push('not one script');
  return wrong;
}

/* Without scripts every step can be read: in lists that anybody can open. */
export function hiddenSteps() {
  const wrong = [];
  for (const details of document.querySelectorAll('details')) details.open = true;
  const steps = [...document.querySelectorAll('li[data-step]')];
  if (!steps.length && document.querySelector('.player')) return ['no steps'];
  for (const step of steps) {
    if (!step.getBoundingClientRect().height) wrong.push(`step ${step.id} is not to be seen`);
    if (!step.querySelector('.keys') && !/Redis is empty/.test(step.textContent)) wrong.push(`step ${step.id} tells no keys`);
  }
  if (document.querySelector('.bar,.tools,.hint')) wrong.push('buttons that do nothing');
  return wrong;
}

/* What the first story shows: the number of the step beside the diagram, of the row within it, and what the buttons say. */
export function walkState() {
  const player = document.querySelector('.player');
  const shown = [...player.querySelectorAll('li[data-step]')].filter((s) => s.getBoundingClientRect().height);
  return {
    live: player.classList.contains('live'), shown: shown.map((s) => +s.dataset.step), row: +player.querySelector('.row.now').dataset.step,
    told: player.querySelector('output').textContent, steps: player.querySelectorAll('li[data-step]').length,
    off: [...player.querySelectorAll('button:disabled')].map((b) => b.getAttribute('aria-label')),
  };
}

/* Do these texts parse as XML, and is each an svg? */
export function brokenPictures(texts) {
  return Object.entries(texts).filter(([, text]) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    return parsed.documentElement.localName !== 'svg' || parsed.querySelector('parsererror');
  }).map(([name]) => name);
}

/* The table of scenarios as it stands: names of the rows that show, sections that show, and what is said of them. */
export function overviewState() {
  const rows = [...document.querySelectorAll('.scenarios tbody tr')].filter((r) => r.getBoundingClientRect().height);
  return {
    names: rows.map((r) => r.querySelector('th a').textContent), verdicts: rows.map((r) => r.querySelector('.verdict').lastChild.textContent.trim()),
    states: rows.map((r) => +r.cells[3].textContent.replace(/,/g, '').match(/[0-9]+/)[0]),
    sections: [...document.querySelectorAll('section.scenario')].filter((s) => s.getBoundingClientRect().height).length,
    told: document.querySelector('.tools output').textContent,
  };
}

/* Types into the search, presses "Failed only" or a head of the table. */
export function search(words) {
  const input = document.querySelector('.tools input');
  input.value = words;
  input.dispatchEvent(new Event('input'));
}
export function pressButton(label) { document.querySelector(`button[aria-label="${label}"]`).click(); }

/* Where the pointer must go to stand on that row of the first story. */
export function rowAt(step) {
  const band = document.querySelector(`.player .row[data-step="${step}"] .band`);
  band.scrollIntoView({ block: 'center' });
  const at = band.getBoundingClientRect();
  return { x: Math.min(at.left + 300, document.documentElement.clientWidth - 30), y: at.top + at.height / 2 };
}
export function hintState() {
  const hint = document.querySelector('.hint');
  return hint && !hint.hidden ? { text: hint.textContent, keys: hint.querySelectorAll('.keys tbody tr').length, titles: document.querySelectorAll('.player .row > title').length } : null;
}

/* The colour at a point of a screenshot: red, green, blue. */
export async function pixelsOf(picture, points) {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return points.map(({ x, y }) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
}

/* Points of the first story: a row to blame, one that decides, the last one and a plain one, at their right ends and at the bar of their left edge. */
export function guiltyPoints() {
  const player = document.querySelector('.player'), at = (row) => {
    const r = player.querySelector(row).getBoundingClientRect(), d = player.querySelector('.diagram').getBoundingClientRect();
    const y = Math.round(r.top + 2 + window.scrollY);
    return [{ x: Math.round(d.left + 101), y }, { x: Math.round(d.left + 2), y: y + 1 }];
  };
  return ['.row.blamed .band', '.row.decides .band', '.row.broke .band', '.row[data-step="8"] .band'].map(at).flat();
}

/* Does the legend fit, each word of it? */
export function legendSticksOut() {
  const items = [...document.querySelectorAll('.legend li')];
  if (items.length < 10) return ['no legend'];
  return items.filter((li) => li.getBoundingClientRect().right > document.documentElement.clientWidth).map((li) => li.textContent);
}

/* Cells of the overview that are too narrow: a verdict that runs into the name, or properties a few letters wide. */
export function crampedCells() {
  const bad = [];
  for (const row of document.querySelectorAll('table.scenarios tbody tr')) {
    const [verdict, , properties] = row.children, badge = verdict.firstElementChild;
    if (getComputedStyle(row).display !== 'table-row') continue;
    if (badge && badge.getBoundingClientRect().right > verdict.getBoundingClientRect().right) bad.push(`${badge.textContent} runs over`);
    if (properties.getBoundingClientRect().width < 140) bad.push(`properties are ${Math.round(properties.getBoundingClientRect().width)} px wide`);
  }
  return bad;
}

/* What the timeline of a log shows. */
export function timelineState() {
  for (const details of document.querySelectorAll('details')) details.open = true;
  const box = (e) => e.getBoundingClientRect(), pictures = [...document.querySelectorAll('.diagram svg')];
  const bars = [...document.querySelectorAll('.diagram rect')], meeting = [];
  for (const svg of pictures) {
    const words = [...svg.querySelectorAll('text.verdict,text.name,text.time')];
    for (const [i, a] of words.entries()) {
      for (const b of words.slice(i + 1))
        if (box(a).right > box(b).left && box(b).right > box(a).left && box(a).bottom - 2 > box(b).top && box(b).bottom - 2 > box(a).top)
          meeting.push(`${a.textContent} and ${b.textContent}`);
      if (box(a).right > box(svg).right + 1) meeting.push(`${a.textContent} leaves the picture`);
    }
  }
  const marks = pictures.slice(1).flatMap((p) => [...p.querySelectorAll('text.verdict')]).map((e) => +e.textContent.match(/[0-9]+$/)[0]);
  const lines = [...document.querySelectorAll('.findings tbody tr')].map((r) => parseInt(r.cells[3].textContent, 10));
  return {
    pictures: pictures.length, bars: bars.length, narrow: bars.filter((b) => box(b).width < 1 || box(b).height < 1).map((b) => `a bar of ${box(b).width} px`),
    unmarked: lines.filter((l) => !marks.includes(l)), meeting,
    rows: document.querySelectorAll('article .measured tbody tr').length, told: [...document.querySelectorAll('article summary')].reduce((n, s) => n + parseInt(s.textContent, 10), 0),
  };
}
