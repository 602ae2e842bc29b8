// Two sides as `ringside measure` writes them, made up, so that tests know every number.
import fs from 'node:fs';
import path from 'node:path';

// Names that try to be more than text.
export const hostile = [
  '</script><script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 2">',
  '"><svg onload=window.hacked=3>',
  "' onmouseover='window.hacked=4",
  '<!--<script>',
  'javascript:alert(1)//]]>',
  '${window.hacked = 5}',
  'line\u2028separator \u0000 &lt;b&gt; \ud83d\ude00 ünïcödé',
  'a'.repeat(10000),
  'turned\u202earound\u2066 zero\u200bwidth\u0085c1',
  ']]></script></style></title></svg><script>window.hacked = 6</script>',
  '\n\n<a href="javascript:window.hacked=7" id="rows">url(#x) %22 &#60;script&#62;',
];
// What a reader sees of a name: nothing that is not seen itself.
export const asShown = (name) => name.replace(
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066]/g, '\ufffd');

const noise = (i, run) => 1 + ((i * 7 + run * 13) % 11) / 200;

function functionsOf(count) {
  const list = [];
  for (let i = 0; i < count; ++i) {
    list.push({ symbol: i < hostile.length ? hostile[i] : `function_${String(i).padStart(5, '0')}`,
      dso: i % 3 === 0 ? '[kernel]' : `lib${i % 17}.so`, mode: i % 3 === 0 ? 'kernel' : 'user',
      weight: 1e6 * (count - i) });
  }
  return list;
}

// main calls each of the first functions; the factor of a function is how much slower it is there.
function stacksOf(functions, factor) {
  const shown = functions.slice(0, 60);
  const frames = [['app', '', 'thread'], ['main', 'app', 'user'],
    ...shown.map((f) => [f.symbol, f.dso, f.mode])];
  const nodes = [[0, 0, 0], [0, 0, 0], [1, 1, 1e6],
    ...shown.map((f, i) => [2, i + 2, f.weight * factor(i)])];
  return { schema: 'ringside.stacks/1', trees: [{ event: 'cpu-clock', unit: 'ns', frames, nodes }] };
}

export function writeSide(folder, { name, kind, kernel, slower, functions, runs = 5 }) {
  const factor = (i) => (i % 2 === 0 ? slower : 1);
  const list = functionsOf(functions);
  const write = (file, json) => fs.writeFileSync(path.join(folder, file), JSON.stringify(json));
  fs.mkdirSync(folder, { recursive: true });
  for (let run = 1; run <= runs; ++run) {
    fs.mkdirSync(path.join(folder, String(run)));
    write(`${run}/stat.json`, { schema: 'ringside.stat/1', exit_code: 0,
      time: { wall_ns: 2e9 * slower * noise(1, run), lifetime_ns: 2e9 * slower * noise(1, run),
        user_ns: 1.5e9 * slower * noise(2, run), kernel_ns: 0.5e9 * slower * noise(3, run), stolen_ns: slower > 1 ? 1e8 * noise(4, run) : 0 },
      events: [{ name: 'page-faults', value: 3700 + run, unit: '', state: 'ok' },
        // Counted in software, in an additional run.
        ...(run === 1 ? [{ name: 'soft:instructions', value: 7.367e8, unit: '', state: 'ok', soft: true }] : []),
        { name: 'cycles', state: slower > 1 ? 'not_permitted' : 'absent', reason: 'the hypervisor gives this machine no PMU' }] });
    write(`${run}/report.json`, { schema: 'ringside.report/1', events: [{ name: 'cpu-clock', samples: 5000, lost: 0,
      rows: list.map((f, i) => ({ symbol: f.symbol, dso: f.dso, mode: f.mode, resolved: true,
        samples: 10, period: f.weight * factor(i) * noise(i, run) })) }] });
    write(`${run}/stacks.json`, stacksOf(list, factor));
    fs.writeFileSync(path.join(folder, String(run), 'stdout'), 'the same\n');
  }
  write('side.json', { schema: 'ringside.run/1', name, kind, runs, notes: [],
    environment: { kernel, cpu: 'A Processor', cpus: 2, memory_bytes: 4e9, hypervisor: kind === 'native' ? 'none' : 'QEMU', clock_source: 'tsc', cpu_hz: 2.4e9 } });
}

export function writeSides(folder, functions) {
  writeSide(path.join(folder, '1-native'), { name: 'native', kind: 'native', kernel: '6.1.0', slower: 1, functions });
  writeSide(path.join(folder, '2-vm'), { name: 'vm', kind: 'tcg', kernel: '6.1.0-cloud', slower: 3, functions });
}

// Two sides in which every text that a side may choose is hostile.
export function writeHostileSides(folder) {
  let next = 0;
  const text = () => hostile[next++ % hostile.length];
  for (const number of [1, 2]) {
    const side = path.join(folder, `${number}-side`);
    const write = (file, json) => fs.writeFileSync(path.join(side, file), JSON.stringify(json));
    fs.mkdirSync(path.join(side, '1'), { recursive: true });
    const events = hostile.map((name) => ({ name, value: 7 + number, unit: name.slice(0, 100), state: 'ok' }));
    events.push(...hostile.map((reason, i) => ({ name: 'e' + i, state: 'absent', reason })));
    write('1/stat.json', { schema: 'ringside.stat/1', exit_code: number, time: { wall_ns: 1e9, lifetime_ns: 1e9, user_ns: 1e9 }, events });
    write('1/report.json', { schema: 'ringside.report/1', events: hostile.slice(0, 4).concat('cpu-clock').map((event) => ({ name: event, samples: 100,
      rows: hostile.map((symbol, i) => ({ symbol, dso: text(), mode: i % 2 ? 'kernel' : 'user', resolved: true, samples: 9, period: 1e8 * (i + number) })) })) });
    const frames = hostile.map((name) => [name, text(), 'user']);
    write('1/stacks.json', { schema: 'ringside.stacks/1', trees: hostile.slice(0, 4).concat('cpu-clock').map((event) => ({ event, unit: text().slice(0, 50), frames,
      nodes: [[0, 0, 0], ...hostile.map((_, i) => [i % 3, i, 1e8 * (i + number)])] })) });
    fs.writeFileSync(path.join(side, '1/intervals.jsonl'), [1, 2, 3].map((at) => JSON.stringify({ schema: 'ringside.stat.interval/1', at_s: at,
      time: { user_ns: 1e9 }, events: hostile.map((name) => ({ name, value: at, unit: name.slice(0, 50), state: 'ok' })) })).join('\n') + '\n');
    write('side.json', { schema: 'ringside.run/1', name: text().slice(0, 200) + number, kind: text(), runs: 1, notes: hostile,
      environment: { kernel: text(), cpu: text(), cpus: 2, memory_bytes: 4e9, hypervisor: text(), clock_source: text(), cpu_hz: 2e9 },
      build_ids: { [text()]: text() } });
    write('exits.json', { schema: 'ringside.kvm-stat/1', machines: [{ exits: 9, halts: 1, exit_ns: 5, reasons: hostile.map((name) => ({ name, count: 1, total_ns: 1 })) }] });
  }
}
