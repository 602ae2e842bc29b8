// How quick the page is with 20,000 functions, beside the same rows drawn all at once. Prints a table.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeSides } from './fixture.mjs';

const require = createRequire(path.resolve(process.env.WEB_MODULES, 'package.json'));
const { chromium } = require('playwright-core');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ringside-page-'));
const file = path.join(folder, 'page.html');
writeSides(path.join(folder, 'sides'), 20000);
execFileSync(process.env.RINGSIDE, ['compare', '-o', file, path.join(folder, 'sides')], { stdio: ['ignore', 'ignore', 'inherit'] });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.goto(pathToFileURL(file).href);
const result = await page.evaluate(async () => {
  // Until the browser has laid out what was changed.
  const took = async (work) => {
    const start = performance.now();
    work();
    document.body.getBoundingClientRect();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return Math.round(performance.now() - start);
  };
  const sort = document.querySelector('#rows th[data-key="ratio:1"] button');
  const search = document.getElementById('filter-text');
  const type = (text) => { search.value = text; search.dispatchEvent(new Event('input')); };
  const result = { open: Math.round(performance.getEntriesByType('navigation')[0].domComplete), elements: document.querySelectorAll('*').length };
  result.sort = await took(() => sort.click());
  result.filter = await took(() => type('function_1'));
  await took(() => type(''));

  const { rows } = JSON.parse(document.getElementById('data').textContent);
  const body = document.querySelector('#rows tbody');
  const drawAll = (list) => body.replaceChildren(...list.map((row) => {
    const line = document.createElement('tr');
    for (const cell of [row.event, row.symbol, row.dso, row.mode, ...row.values, row.ratio, row.ci_low, row.significant]) {
      const made = document.createElement('td');
      made.textContent = cell;
      line.append(made);
    }
    return line;
  }));
  result.allSort = await took(() => drawAll(rows.slice().sort((a, b) => b.ratio - a.ratio)));
  result.allFilter = await took(() => drawAll(rows.filter((row) => row.symbol && row.symbol.includes('function_1'))));
  drawAll(rows);
  result.allElements = document.querySelectorAll('*').length;
  return result;
});
await browser.close();
const ratio = (ours, peer) => (ours / peer).toFixed(2);
console.log('| with 20,000 functions | the page | all rows drawn | ratio |\n|-|-|-|-|');
console.log(`| sort [ms] | ${result.sort} | ${result.allSort} | ${ratio(result.sort, result.allSort)} |`);
console.log(`| filter [ms] | ${result.filter} | ${result.allFilter} | ${ratio(result.filter, result.allFilter)} |`);
console.log(`| elements | ${result.elements} | ${result.allElements} | ${ratio(result.elements, result.allElements)} |`);
console.log(`| open [ms] | ${result.open} | - | - |`);
console.log(`| size [MB] | ${(fs.statSync(file).size / 1e6).toFixed(1)} | - | - |`);
fs.rmSync(folder, { recursive: true, force: true });
