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
];

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
        // Counted in software, in one execution more.
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
