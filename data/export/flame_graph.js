
// A click makes a frame as wide as the picture; a click on the lowest row shows all again.
(function () {
  var svg = document.documentElement, hint = svg.querySelector('.hint');
  var frames = Array.from(svg.querySelectorAll('#frames > g')).map(function (g) {
    var rect = g.querySelector('rect');
    return { g: g, rect: rect, text: g.querySelector('text'), name: g.querySelector('title').textContent,
      x: +rect.getAttribute('x'), width: +rect.getAttribute('width'), y: +rect.getAttribute('y') };
  });
  if (!frames.length) return;
  var left = frames[0].x, whole = frames[0].width;
  function zoom(to) {
    var factor = whole / to.width;
    frames.forEach(function (f) {
      var inside = f.x >= to.x - 0.01 && f.x + f.width <= to.x + to.width + 0.01 && f.y <= to.y;
      var around = f.x <= to.x + 0.01 && f.x + f.width >= to.x + to.width - 0.01 && f.y > to.y;
      f.g.style.display = inside || around ? '' : 'none';
      if (!inside && !around) return;
      var x = around ? left : left + (f.x - to.x) * factor, width = around ? whole : f.width * factor;
      f.rect.setAttribute('x', x);
      f.rect.setAttribute('width', width);
      if (!f.text) {
        f.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
        f.text.setAttribute('y', f.y + 12);
        f.g.appendChild(f.text);
      }
      var letters = Math.floor(width / 6.6 - 1), name = f.name.replace(/ \([^()]*\)$/, '');
      f.text.setAttribute('x', x + 2);
      f.text.textContent = letters < 3 ? '' : name.length <= letters ? name : name.slice(0, letters - 2) + '..';
    });
  }
  frames.forEach(function (f) {
    f.g.addEventListener('click', function () { zoom(f); });
    f.g.addEventListener('mouseover', function () { hint.textContent = f.name; });
  });
})();
