// What the page can do with scripts and need not: sort and filter all rows, zoom flame graphs. All
// text from the data becomes text nodes, never HTML.
'use strict';

(function () {
  const data = JSON.parse(document.getElementById('data').textContent);
  const rowsAPage = 100;

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // ---- how values are read; the same as in the table that the page came with

  const withThousands = (value) =>
    value.toLocaleString('en-US', { maximumFractionDigits: 0, roundingMode: 'halfEven' });
  // As C's %.Ng does it.
  function digits(value, count) {
    const trimmed = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
    const [number, power] = value.toExponential(count - 1).split('e');
    if (power >= -4 && power < count) return trimmed(value.toFixed(count - 1 - power));
    return trimmed(number) + 'e' + power[0] + power.slice(1).padStart(2, '0');
  }
  // What no reader sees, controls and marks that turn letters around, is shown as U+FFFD.
  const plain = (text) => text.replace(
    /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff\u{e0000}-\u{e0fff}]/gu, '\ufffd');
  function amount(value, unit) {
    if (unit === 'ns') return (value / 1e9).toFixed(6) + ' s';
    const text = Number.isInteger(value) || Math.abs(value) >= 1000 ? withThousands(value) : digits(value, 4);
    return unit ? text + ' ' + unit : text;
  }
  const isNew = (row, side) => row.ratios[side].ratio === null && row.values[0] === 0 && row.values[side] > 0;
  function sureness(row, side) {
    const ratio = row.ratios[side];
    if (ratio.ratio === null && !isNew(row, side)) return '';
    return ratio.significant === null ? 'cannot be told' : ratio.significant ? 'sure' : 'may be chance';
  }

  // ---- the cells of a row

  function nameCell(text, row) {
    const cell = element('td', { class: 'name' }, element('span', { class: 'long' }, plain(text)));
    const names = row ? row.sides.map((side) => side.symbol) : [];
    const others = Array.from(new Set(names.filter((name) => name && name !== text)));
    if (others.length > 0) cell.append(element('span', { class: 'aside long' }, plain(others.join(', '))));
    return cell;
  }

  function valueCell(row, index) {
    const side = row.sides[index];
    if (side.state !== 'ok' || row.values[index] === null)
      return element('td', { class: 'state', title: side.reason || '' }, side.state.replace('_', ' '));
    const value = row.values[index];
    const spread = side.runs.length > 1 && value !== 0
      ? element('span', { class: 'aside' }, '±' + (100 * side.deviation / Math.abs(value)).toFixed(1) + ' %') : null;
    return element('td', { class: 'number' }, amount(value, row.unit), spread);
  }

  function ratioCell(row, side) {
    const { ratio, significant } = row.ratios[side];
    const grew = ratio === null ? isNew(row, side) : ratio > 1;
    const mark = significant ? (grew ? 'up' : 'down') : '';
    const text = ratio !== null ? digits(ratio, 3) : isNew(row, side) ? 'new' : '';
    return element('td', { class: 'number ' + mark }, text);
  }

  function rangeCell(row, side) {
    const { ci_low: low, ci_high: high } = row.ratios[side];
    return element('td', { class: 'number' }, low === null ? '' : digits(low, 3) + ' to ' + digits(high, 3));
  }

  function makeRow(row) {
    const line = element('tr', {},
      nameCell(row.event), nameCell(row.symbol === null ? '' : row.symbol, row), nameCell(row.dso || ''),
      element('td', {}, row.mode || ''));
    data.sides.forEach((_, index) => line.append(valueCell(row, index)));
    for (let side = 1; side < data.sides.length; ++side)
      line.append(ratioCell(row, side), rangeCell(row, side), element('td', { class: 'sure' }, sureness(row, side)));
    return line;
  }

  // ---- what a column sorts by; nothing sorts last, whichever way

  function sortValue(key, row) {
    const [name, index] = key.split(':');
    if (name === 'value') return row.values[index];
    if (name === 'ratio') return row.ratios[index].ratio === null && isNew(row, index) ? Infinity : row.ratios[index].ratio;
    if (name === 'range') return row.ratios[index].ci_low;
    if (name === 'sure') return sureness(row, index) || null;
    return row[name];
  }

  function sorted(rows, key, direction) {
    const keyed = rows.map((row) => [sortValue(key, row), row]);
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    keyed.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : direction * order(a, b)));
    return keyed.map(([, row]) => row);
  }

  // ---- the table

  function enhanceTable() {
    const table = document.getElementById('rows');
    if (!table) return;
    const body = table.tBodies[0];
    const heads = Array.from(table.tHead.rows[0].cells);
    const state = { key: null, direction: 1, text: '', event: '', mode: '', sure: '', page: 0 };
    const texts = data.rows.map((row) =>
      [row.event, row.symbol, row.dso, ...row.sides.map((side) => side.symbol)].join('\n').toLowerCase());
    let shown = data.rows;

    const status = element('p', { role: 'status', id: 'shown', class: 'status' });
    const back = element('button', { type: 'button', class: 'quiet' }, '← Previous');
    const next = element('button', { type: 'button', class: 'quiet' }, 'Next →');

    function choose() {
      const wanted = state.text.toLowerCase();
      shown = data.rows.filter((row, i) =>
        (wanted === '' || texts[i].includes(wanted)) &&
        (state.event === '' || row.event === state.event) &&
        (state.mode === '' || (row.mode || 'whole') === state.mode) &&
        (state.sure === '' || row.ratios.some((_, side) => side > 0 && sureness(row, side) === state.sure)));
      if (state.key !== null) shown = sorted(shown, state.key, state.direction);
      state.page = 0;
      draw();
    }

    function draw() {
      const from = state.page * rowsAPage;
      const part = shown.slice(from, from + rowsAPage);
      body.replaceChildren(...part.map(makeRow));
      const all = shown.length === data.rows.length ? '' : ' (' + withThousands(data.rows.length) + ' without the filter)';
      status.textContent = shown.length === 0 ? 'No row is like that' + all
        : 'Rows ' + withThousands(from + 1) + ' to ' + withThousands(from + part.length) + ' of ' + withThousands(shown.length) + all;
      back.disabled = state.page === 0;
      next.disabled = from + rowsAPage >= shown.length;
    }

    function turn(by) {
      state.page += by;
      draw();
      table.scrollIntoView({ block: 'start' });
    }
    back.addEventListener('click', () => turn(-1));
    next.addEventListener('click', () => turn(1));

    // Numbers come largest first, names from A on; a second press turns it round, a third gives up.
    function sortBy(head) {
      const key = head.dataset.key;
      const first = head.classList.contains('number') ? -1 : 1;
      if (state.key !== key) [state.key, state.direction] = [key, first];
      else if (state.direction === first) state.direction = -first;
      else state.key = null;
      for (const other of heads) other.removeAttribute('aria-sort');
      if (state.key) head.setAttribute('aria-sort', state.direction > 0 ? 'ascending' : 'descending');
      choose();
    }
    for (const head of heads) {
      const button = element('button', { type: 'button' }, ...head.childNodes);
      button.addEventListener('click', () => sortBy(head));
      head.replaceChildren(button);
    }

    const field = (name, control) => element('label', {}, element('span', {}, name), control);
    function select(name, key, choices) {
      const control = element('select', { id: 'filter-' + key },
        ...choices.map(([value, text]) => element('option', { value }, text)));
      control.addEventListener('change', () => { state[key] = control.value; choose(); });
      return field(name, control);
    }
    const search = element('input', { type: 'search', id: 'filter-text', autocomplete: 'off', placeholder: 'function, module or event' });
    search.addEventListener('input', () => { state.text = search.value; choose(); });
    const events = Array.from(new Set(data.rows.map((row) => row.event)));
    const tools = element('div', { class: 'tools', role: 'search', 'aria-label': 'Filter the table' },
      field('Find', search),
      select('Event', 'event', [['', 'all'], ...events.map((event) => [event, plain(event)])]),
      select('Mode', 'mode', [['', 'all'], ['user', 'user'], ['kernel', 'kernel'], ['whole', 'whole events']]));
    if (data.sides.length > 1)
      tools.append(select('Difference', 'sure', ['', 'sure', 'may be chance', 'cannot be told'].map((t) => [t, t || 'all'])));
    table.parentElement.before(tools, status);
    table.parentElement.after(element('div', { class: 'pager' }, back, next));
    document.getElementById('rows-static')?.remove();
    choose();
  }

  // ---- flame graphs: one at a time, with a line that says what a frame is

  function enhanceFlames(set, number) {
    const items = Array.from(set.querySelectorAll('figure'));
    const status = element('p', { class: 'status flame-status', role: 'status' });
    const hint = 'Click a frame, or press Enter on it, to zoom; Escape or “Whole picture” goes back; arrows move.';
    const say = (text) => { status.textContent = text || hint; };
    const graphs = items.map((item) => attachFlame(item.querySelector('svg'), say));
    const group = element('fieldset', { class: 'choice' }, element('legend', { class: 'hidden' }, 'Flame graph'));
    const boxes = items.map((item) => item.querySelector('.scroll'));
    boxes.forEach((box) => box.classList.add('bounded'));
    const show = (index) => {
      items.forEach((item, i) => item.classList.toggle('off', i !== index));
      boxes[index].scrollTop = boxes[index].scrollHeight; // all flames begin below
      search.dispatchEvent(new Event('input'));
    };
    const search = element('input', { type: 'search', autocomplete: 'off', placeholder: 'function' });
    const reset = element('button', { type: 'button', class: 'quiet' }, 'Whole picture');
    let chosen = 0;
    items.forEach((item, i) => {
      const button = element('input', { type: 'radio', name: 'flame-' + number, id: 'flame-' + number + '-' + i });
      button.checked = i === 0;
      button.addEventListener('change', () => { chosen = i; show(i); });
      group.append(button, element('label', { for: button.id }, item.dataset.label));
    });
    search.addEventListener('input', () => {
      const found = graphs[chosen] && graphs[chosen].find(search.value);
      say(found && search.value !== '' ? found.count + ' frames, ' + (100 * found.share).toFixed(1) + ' % of the width' : '');
    });
    reset.addEventListener('click', () => { if (graphs[chosen]) graphs[chosen].reset(); });
    set.prepend(element('div', { class: 'tools' }, group,
      element('label', {}, element('span', {}, 'Find'), search), reset), status);
    show(0);
  }

  document.querySelectorAll('.flames').forEach(enhanceFlames);
  enhanceTable();
})();
