// The page of `ringside compare -o` in a real Chromium.
//   RINGSIDE=path of the command, WEB_MODULES=folder with node_modules
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { asShown, hostile, writeHostileSides, writeSides } from './fixture.mjs';

const require = createRequire(path.resolve(process.env.WEB_MODULES, 'package.json'));
const { chromium } = require('playwright-core');
const axeSource = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let folder;
let browser;
const pages = {};

function makePage(name, functions) {
  const sides = path.join(folder, name);
  const file = path.join(folder, name + '.html');
  writeSides(sides, functions);
  execFileSync(process.env.RINGSIDE, ['compare', '--title', 'A <b>title</b>', '-o', file, sides], { stdio: ['ignore', 'ignore', 'inherit'] });
  pages[name] = pathToFileURL(file).href;
}

// Page, flame graph and charts of sides whose every text is hostile, the command's words included.
function makeHostile() {
  const sides = path.join(folder, 'hostile');
  const file = (name) => path.join(folder, name);
  writeHostileSides(sides);
  const draw = (...words) => execFileSync(process.env.RINGSIDE, ['compare', '--title', hostile[0] + hostile[2], ...words, sides], { stdio: ['ignore', 'ignore', 'inherit'] });
  draw('-o', file('hostile.html'));
  draw('--flame', file('flame.svg'));
  for (const kind of ['bars', 'columns', 'circle', 'timeline']) draw('--chart', `${kind}=${file(kind + '.svg')}`);
  pages.hostile = pathToFileURL(file('hostile.html')).href;
  for (const name of pictures) pages[name] = pathToFileURL(file(name + '.svg')).href;
}
const pictures = ['flame', 'bars', 'columns', 'circle', 'timeline'];

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ringside-page-'));
  makePage('small', 300);
  makePage('large', 20000);
  makeHostile();
  // Chromium's own sandbox cannot be had by root, nor in most containers.
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
});
after(async () => {
  await browser?.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

// Opens a page, and fails the test on any error, any request but that for the file itself, and any
// script that a name smuggled in.
async function open(t, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) troubles.push(message.text()); });
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('request', (request) => { if (request.url() !== pages[name]) troubles.push('request: ' + request.url()); });
  page.on('dialog', (dialog) => { troubles.push('dialog'); dialog.dismiss(); });
  await page.goto(pages[name]);
  t.after(async () => {
    if (options.javaScriptEnabled !== false) assert.equal(await page.evaluate(() => window.hacked), undefined);
    await context.close();
    assert.deepEqual(troubles, []);
  });
  return page;
}

const dataOf = (page) => page.evaluate(() => JSON.parse(document.getElementById('data').textContent));
const columnOf = (page, name) => page.evaluate((wanted) => {
  const table = document.getElementById('rows');
  const index = Array.from(table.tHead.rows[0].cells).findIndex((cell) => cell.textContent === wanted);
  return Array.from(table.tBodies[0].rows, (row) => row.cells[index].firstChild?.textContent ?? '');
}, name);
const head = (page, name) => page.locator('#rows thead').getByRole('button', { name, exact: true });

test('opens with the data that --json gives', async (t) => {
  const page = await open(t, 'small');
  assert.equal(await page.title(), 'A <b>title</b> - ringside');
  assert.equal(await page.locator('h1').textContent(), 'A <b>title</b>');
  const json = execFileSync(process.env.RINGSIDE, ['compare', '--json', '--title', 'A <b>title</b>', path.join(folder, 'small')], { maxBuffer: 1 << 30 });
  assert.deepEqual(await dataOf(page), JSON.parse(json));
  assert.match(await page.locator('.verdict').textContent(), /vm takes .* times as long as native/);
  assert.ok(await page.locator('.warnings li').count() > 0);
  assert.equal(await page.locator('#rows tbody tr').count(), 100);
});

test('the table of scripts says what the table without them says', async (t) => {
  const scripted = await open(t, 'small');
  const plain = await open(t, 'small', { javaScriptEnabled: false });
  const cells = (page) => page.locator('#rows tbody tr').evaluateAll((rows) =>
    rows.map((row) => Array.from(row.cells, (cell) => cell.className.trim() + '|' + cell.textContent)));
  assert.deepEqual(await cells(scripted), await cells(plain));
});

test('sorts by a press of a button, with mouse and keyboard', async (t) => {
  const page = await open(t, 'small');
  const values = (await dataOf(page)).rows.map((row) => row.values[1]).filter((value) => value !== null);
  const largest = values.sort((a, b) => b - a).slice(0, 100);
  await head(page, 'vm').click();
  assert.equal(await page.locator('#rows th[aria-sort]').getAttribute('aria-sort'), 'descending');
  const shown = (await columnOf(page, 'vm')).map((text) => Number(text.replace(/[ s,]/g, '')) * (text.endsWith('s') ? 1e9 : 1));
  shown.forEach((value, i) => assert.ok(Math.abs(value - largest[i]) <= 1000, `${value} is not ${largest[i]}`));
  await head(page, 'Function').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#rows th[aria-sort=ascending]').textContent(), 'Function');
  const names = (await columnOf(page, 'Function')).filter((name) => name !== '');
  assert.deepEqual(names, names.slice().sort());
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#rows th[aria-sort=descending]').count(), 1);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#rows th[aria-sort]').count(), 0);
});

test('filters by text, event, mode and sureness', async (t) => {
  const page = await open(t, 'small');
  const { rows } = await dataOf(page);
  const count = async () => Number((await page.locator('#shown').textContent()).match(/of ([\d,]+)/)?.[1].replace(',', '') ?? 0);
  await page.locator('#filter-text').fill('FUNCTION_0001');
  assert.equal(await count(), rows.filter((row) => row.symbol?.includes('function_0001')).length);
  await page.locator('#filter-text').fill('');
  await page.locator('#filter-mode').selectOption('kernel');
  assert.equal(await count(), rows.filter((row) => row.mode === 'kernel').length);
  await page.locator('#filter-sure').selectOption('sure');
  assert.equal(await count(), rows.filter((row) => row.mode === 'kernel' && row.significant).length);
  await page.locator('#filter-mode').selectOption('whole');
  await page.locator('#filter-sure').selectOption('');
  await page.locator('#filter-event').selectOption('page-faults');
  assert.deepEqual(await columnOf(page, 'Event'), ['page-faults']);
  await page.locator('#filter-text').fill('nothing is called so');
  assert.match(await page.locator('#shown').textContent(), /No row/);
});

test('a count that could not be measured is its state, never 0', async (t) => {
  const page = await open(t, 'small');
  await page.locator('#filter-event').selectOption('cycles');
  assert.deepEqual(await columnOf(page, 'native'), ['absent']);
  assert.deepEqual(await columnOf(page, 'vm'), ['not permitted']);
  assert.deepEqual(await columnOf(page, 'Ratio'), ['']);
});

test('a count in software says so, and that it was counted once', async (t) => {
  const page = await open(t, 'small');
  assert.match(await page.locator('.summary, main').first().textContent(), /the same number of instructions \(soft:instructions/);
  await page.locator('#filter-event').selectOption('soft:instructions');
  assert.deepEqual(await columnOf(page, 'Event'), ['soft:instructions']);
  assert.deepEqual(await columnOf(page, 'native'), ['736,700,000']);
  assert.deepEqual(await columnOf(page, 'vm'), ['736,700,000']);
});

const widthOf = (frame) => frame.locator('rect').evaluate((rect) => Number(rect.getAttribute('width')));

test('a flame graph zooms, by mouse and by keyboard', async (t) => {
  const page = await open(t, 'small');
  const graph = page.locator('.flames figure:visible svg');
  assert.equal(await graph.count(), 1);
  const frames = graph.locator('.frames > g');
  const whole = await widthOf(frames.first());
  const target = graph.locator('.frames > g', { hasText: 'function_00013' });
  const narrow = await widthOf(target);
  assert.ok(narrow < whole / 10);
  await target.click();
  assert.equal(await widthOf(target), whole);
  assert.equal(await frames.locator('visible=true').count(), 4); // all, app, main and itself
  assert.equal(await target.locator('text').textContent(), 'function_00013');
  await page.keyboard.press('Escape');
  assert.ok(Math.abs(await widthOf(target) - narrow) < 0.01);
  await frames.first().focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  assert.match(await page.locator('.flame-status').textContent(), /^main · app: .* of cpu-clock, 100.00 %/);
  await page.keyboard.press('ArrowUp');
  const first = await page.evaluate(() => document.activeElement.querySelector('title').textContent);
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await page.evaluate(() => document.activeElement.querySelector('title').textContent), first);
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => Number(document.activeElement.querySelector('rect').getAttribute('width'))), whole);
  await page.getByRole('button', { name: 'Whole picture' }).click();
  assert.ok(Math.abs(await widthOf(target) - narrow) < 0.01);
});

test('flame graphs of both sides and their difference can be chosen and searched', async (t) => {
  const page = await open(t, 'small');
  for (const label of ['vm against native', 'native', 'vm']) {
    await page.locator('.choice').getByText(label, { exact: true }).click();
    assert.deepEqual(await page.locator('.flames figure:visible').evaluateAll((all) => all.map((one) => one.dataset.label)), [label]);
  }
  await page.getByRole('radio', { name: 'vm', exact: true }).press('ArrowRight'); // round to the first
  assert.ok(await page.getByRole('radio', { name: 'vm against native' }).isChecked());
  await page.locator('.flames input[type=search]').fill('main');
  assert.match(await page.locator('.flame-status').textContent(), /^1 frames, 100.0 % of the width/);
  // What became three times slower grew, the rest shrank.
  const fills = await page.locator('.flames figure:visible .frames > g').evaluateAll((all) =>
    all.filter((g) => g.querySelector('title').textContent.startsWith('function_')).map((g) => [g.querySelector('title').textContent, g.querySelector('rect').getAttribute('fill')]));
  for (const [title, fill] of fills) {
    const [red, , blue] = fill.match(/\d+/g).map(Number);
    if (/\+[\d.]*[1-9]/.test(title.split('%')[1])) assert.ok(red >= blue, title + fill);
    if (/-[\d.]*[1-9]/.test(title.split('%')[1])) assert.ok(red <= blue, title + fill);
  }
  assert.ok(fills.length > 40);
});

test('names that try to be more stay text', async (t) => {
  const page = await open(t, 'small');
  const { rows } = await dataOf(page);
  for (const name of hostile) assert.ok(rows.some((row) => row.symbol === name), 'the data lacks ' + name.slice(0, 40));
  await page.locator('#filter-event').selectOption('cpu-clock');
  await page.mouse.move(600, 500);
  assert.ok((await columnOf(page, 'Function')).includes(hostile[0]));
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('script').count(), 3);
  assert.equal(await page.locator('[onload], [onerror], [onmouseover]').count(), 0);
  const titles = await page.locator('.flames title').allTextContents();
  assert.ok(titles.some((title) => title.startsWith(hostile[1])));
});

// The elements and attributes that we write ourselves; whatever else is there came out of a name.
const ours = {
  elements: /^(html|head|meta|title|style|body|script|a|header|nav|main|section|footer|h[1-3]|p|strong|em|ul|li|span|div|table|thead|tbody|tr|th|td|figure|figcaption|svg|desc|g|rect|path|text|label|input|select|option|button|fieldset|legend)$/,
  links: /^#[a-z]*$/,
};
const breakouts = () => Array.from(document.querySelectorAll('*'), (element) => [element.localName,
  ...Array.from(element.attributes, ({ name, value }) => (/^on/i.test(name) || (/href|src|action/.test(name)) ? `${name}=${value}` : ''))]);
async function expectNoBreakout(page) {
  for (const [element, ...attributes] of await page.evaluate(breakouts)) {
    assert.match(element, ours.elements);
    for (const attribute of attributes.filter((text) => text !== ''))
      assert.ok(attribute.startsWith('href=') && ours.links.test(attribute.slice(5)), `${element} ${attribute}`);
  }
}

test('a page of nothing but hostile names is a page', async (t) => {
  const page = await open(t, 'hostile');
  assert.equal(await page.locator('script').count(), 3);
  assert.equal(await page.locator('#rows').count(), 1);
  await expectNoBreakout(page);
  const { rows, sides } = await dataOf(page);
  for (const name of hostile) assert.ok(rows.some((row) => row.symbol === name), 'the data lacks ' + name.slice(0, 40));
  assert.equal(sides.length, 2);
  // With all that scripts do with names.
  for (const option of await page.locator('#filter-event option').all()) await page.locator('#filter-event').selectOption({ index: await option.evaluate((one) => one.index) });
  await page.locator('#filter-event').selectOption('');
  await page.locator('#filter-text').fill('<script>');
  await head(page, 'Function').click();
  for (const frame of await page.locator('.flames figure:visible .frames > g').all()) await frame.dispatchEvent('click');
  await page.locator('.flames input[type=search]').first().fill('</script>');
  await expectNoBreakout(page);
  // What is not seen is not there: neither in the page nor in its pictures.
  assert.doesNotMatch(await page.locator('body').evaluate((body) => {
    for (const script of body.querySelectorAll('script')) script.remove();
    return body.textContent;
  }), /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066]/);
});

for (const name of pictures) {
  test(`${name}.svg of hostile names is a picture`, async (t) => {
    const page = await open(t, name);
    assert.equal(await page.evaluate(() => document.documentElement.namespaceURI), 'http://www.w3.org/2000/svg');
    assert.equal(await page.locator('script').count(), name === 'flame' ? 1 : 0);
    await expectNoBreakout(page);
    assert.equal(await page.evaluate(() => document.querySelectorAll('parsererror').length), 0);
    if (name !== 'flame') return;
    // A frame's title is its name, on one line, and then what we say of it.
    for (const title of await page.locator('.frames title').allTextContents()) assert.equal(title.split('\n').length, 2, title.slice(0, 80));
    for (const frame of await page.locator('.frames > g').all()) await frame.dispatchEvent('click');
  });
}

test('reads without scripts', async (t) => {
  const page = await open(t, 'small', { javaScriptEnabled: false });
  assert.ok(await page.locator('.verdict').isVisible());
  assert.ok(await page.locator('.findings li').first().isVisible());
  assert.ok(await page.locator('.figure svg').first().isVisible());
  for (const graph of await page.locator('.flames svg').all()) assert.ok(await graph.isVisible());
  assert.equal(await page.locator('.flames svg').count(), 3);
  assert.equal(await page.locator('#rows tbody tr').count(), 100);
  assert.ok(await page.locator('#rows-static').isVisible());
  assert.match(await page.locator('.environment .differs').first().textContent(), /differs/);
});

test('prints', async (t) => {
  const page = await open(t, 'small', { colorScheme: 'dark' });
  const pdf = await page.pdf({ format: 'A4' });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  assert.ok((pdf.toString('latin1').match(/\/Type \/Page\b/g) ?? []).length >= 2);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('.tools:visible, nav:visible, .pager:visible').count(), 0);
  assert.equal(await page.locator('.flames svg:visible').count(), 3);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
});

for (const colorScheme of ['light', 'dark']) {
  test('axe finds no serious fault, ' + colorScheme, async (t) => {
    const page = await open(t, 'small', { colorScheme });
    const { violations } = await page.evaluate(`(() => { ${axeSource}; return axe.run(); })()`);
    const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    assert.deepEqual(bad.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]), []);
  });
}

test('20,000 functions are sorted and filtered right, and few are drawn', async (t) => {
  const page = await open(t, 'large');
  const { rows } = await dataOf(page);
  assert.ok(rows.length >= 20000);
  await head(page, 'Function').click();
  await head(page, 'Function').click();
  const names = rows.map((row) => row.symbol).filter((name) => name !== null).sort().reverse().map(asShown);
  assert.deepEqual(await columnOf(page, 'Function'), names.slice(0, 100));
  await page.getByRole('button', { name: 'Next' }).click();
  assert.deepEqual(await columnOf(page, 'Function'), names.slice(100, 200));
  await page.locator('#filter-text').fill('function_19');
  assert.match(await page.locator('#shown').textContent(), /^Rows 1 to 100 of 1,000 /);
  assert.equal(await page.locator('#rows tbody tr').count(), 100);
  assert.ok(await page.evaluate(() => document.querySelectorAll('#table *').length) < 100 * 25);
});

test('a narrow screen scrolls the table, not the page', async (t) => {
  const page = await open(t, 'small', { viewport: { width: 390, height: 800 } });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
});
