// Makes a flame graph zoom: a click, or Enter, makes a frame as wide as the picture; Escape shows all
// again. Arrows go up to what a frame called, down to who called it, and to its neighbours.
'use strict';

// `say` is told what a frame under the pointer or in focus stands for.
function attachFlame(svg, say) {
  const frames = Array.from(svg.querySelectorAll('.frames > g'), (g) => {
    const rect = g.querySelector('rect');
    const number = (name) => Number(rect.getAttribute(name));
    const [name, ...facts] = g.querySelector('title').textContent.split('\n');
    return { g, rect, text: g.querySelector('text'), name, told: name + ' · ' + facts.join(' '),
      x: number('x'), width: number('width'), y: number('y'), shown: true };
  });
  if (frames.length === 0) return null;
  const root = frames[0];
  const rowHeight = Number(root.rect.getAttribute('height')) + 1;
  const slack = 0.02; // coordinates have two digits
  let zoomed = root;
  let current = root;

  const isWithin = (inner, outer) =>
    inner.x >= outer.x - slack && inner.x + inner.width <= outer.x + outer.width + slack;

  function label(frame, width) {
    const letters = Math.floor(width / 6.7 - 1);
    if (!frame.text) {
      frame.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      frame.text.setAttribute('y', frame.y + rowHeight - 5);
      frame.g.append(frame.text);
    }
    const name = Array.from(frame.name);
    frame.text.textContent = letters < 3 ? '' : name.slice(0, letters).join('');
  }

  function zoom(to) {
    zoomed = to;
    const factor = root.width / to.width;
    for (const frame of frames) {
      const above = frame.y <= to.y && isWithin(frame, to);
      const below = frame.y > to.y && isWithin(to, frame);
      frame.shown = above || below;
      frame.g.style.display = frame.shown ? '' : 'none';
      if (!frame.shown) continue;
      const x = below ? root.x : root.x + (frame.x - to.x) * factor;
      const width = below ? root.width : frame.width * factor;
      frame.rect.setAttribute('x', x);
      frame.rect.setAttribute('width', width);
      label(frame, width);
      frame.text.setAttribute('x', x + 3);
    }
    if (!current.shown) select(to);
  }

  function select(frame) {
    current.g.setAttribute('tabindex', '-1');
    current = frame;
    current.g.setAttribute('tabindex', '0');
  }

  // Of the frames that are shown a row above, below or beside the current one, the nearest.
  function neighbour(key) {
    const rows = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: 0, ArrowRight: 0 }[key];
    const wanted = frames.filter((frame) => {
      if (!frame.shown || Math.abs(frame.y - current.y - rows * rowHeight) > 1) return false;
      if (key === 'ArrowUp') return isWithin(frame, current);
      if (key === 'ArrowDown') return isWithin(current, frame);
      return key === 'ArrowLeft' ? frame.x < current.x - slack : frame.x > current.x + slack;
    });
    const better = key === 'ArrowUp' ? (a, b) => b.width - a.width
      : key === 'ArrowLeft' ? (a, b) => b.x - a.x : (a, b) => a.x - b.x;
    return wanted.sort(better)[0];
  }

  function press(event) {
    let to = null;
    if (event.key === 'Enter' || event.key === ' ') zoom(current);
    else if (event.key === 'Escape') zoom(root);
    else if (event.key === 'Home') to = root;
    else if (event.key.startsWith('Arrow')) to = neighbour(event.key);
    else return;
    event.preventDefault();
    if (!to) return;
    select(to);
    to.g.focus();
  }

  for (const frame of frames) {
    frame.g.setAttribute('role', 'button'); // its title names it
    frame.g.setAttribute('tabindex', frame === root ? '0' : '-1');
    frame.g.addEventListener('click', () => { select(frame); zoom(frame); });
    frame.g.addEventListener('mouseover', () => say(frame.told));
    frame.g.addEventListener('focus', () => { select(frame); say(frame.told); });
  }
  svg.setAttribute('role', 'group');
  svg.addEventListener('keydown', press);

  return {
    reset: () => zoom(root),
    isZoomed: () => zoomed !== root,
    // Stresses the frames that name `part`. Returns how many they are and which share they have.
    find(part) {
      const wanted = part.toLowerCase();
      let until = -1;
      let covered = 0;
      const hits = frames.filter((frame) => {
        const hit = wanted !== '' && frame !== root && frame.told.toLowerCase().includes(wanted);
        frame.g.classList.toggle('miss', wanted !== '' && !hit);
        return hit;
      });
      for (const hit of hits.slice().sort((a, b) => a.x - b.x || b.width - a.width)) {
        if (hit.x < until - slack) continue; // within one that was counted
        covered += hit.width;
        until = hit.x + hit.width;
      }
      return { count: hits.length, share: covered / root.width };
    },
  };
}

if (document.documentElement.localName === 'svg') {
  const hint = document.querySelector('.hint');
  attachFlame(document.documentElement, (text) => { hint.textContent = text; });
}
