// page.js - walks through the steps of a story (buttons, arrow keys, a click on a row; time and keys where the pointer is), searches and sorts
// the scenarios, and unpacks the stories of a packed page as they are opened. What is not packed can be read without: the list shows every step.
(function () {
  'use strict';
  function control(bar, name, sign, go) {
    var b = document.createElement('button');
    b.type = 'button';
    b.textContent = sign;
    b.setAttribute('aria-label', name);
    b.title = name;
    b.addEventListener('click', go);
    bar.appendChild(b);
    return b;
  }
  /* Time and keys of the step that the pointer is on. */
  var hint = null, hinted = null;
  function tell(step, e) {
    if (!hint) {
      hint = document.createElement('div');
      hint.className = 'hint';
      hint.setAttribute('role', 'tooltip');
      document.body.appendChild(hint);
    }
    if (step !== hinted) {
      hint.textContent = '';
      if (step) step.querySelectorAll('.head,.guilt,.keys,.keys-none').forEach(function (part) { hint.appendChild(part.cloneNode(true)); });
      hinted = step;
    }
    hint.hidden = !step;
    if (!step) return;
    var room = document.documentElement.clientWidth, x = e.clientX + 18, y = e.clientY + 18;
    if (x + hint.offsetWidth > room - 8) x = Math.max(8, e.clientX - 18 - hint.offsetWidth);
    if (y + hint.offsetHeight > window.innerHeight - 8) y = Math.max(8, e.clientY - 18 - hint.offsetHeight);
    hint.style.left = x + 'px';
    hint.style.top = y + 'px';
  }
  function walk(player) {
    var steps = Array.prototype.slice.call(player.querySelectorAll('li[data-step]'));
    var all = player.querySelector('.walk'), box = player.querySelector('.diagram'), at = -1;
    if (!steps.length) return;
    var bar = document.createElement('div');
    bar.className = 'bar';
    bar.setAttribute('role', 'group');
    bar.setAttribute('aria-label', 'Walk through the steps');
    var first = control(bar, 'First step', '\u21e4', function () { show(0); });
    var back = control(bar, 'Previous step', '\u2190', function () { show(at - 1); });
    var on = control(bar, 'Next step', '\u2192', function () { show(at + 1); });
    var last = control(bar, 'Last step', '\u21e5', function () { show(steps.length - 1); });
    var slider = document.createElement('input');
    slider.type = 'range';
    slider.min = 1;
    slider.max = steps.length;
    slider.setAttribute('aria-label', 'Step');
    slider.addEventListener('input', function () { show(slider.value - 1); });
    bar.appendChild(slider);
    var told = document.createElement('output');
    bar.appendChild(told);
    function row(i) { return box.querySelector('.row[data-step="' + steps[i].getAttribute('data-step') + '"]'); }
    function show(i) {
      i = Math.max(0, Math.min(steps.length - 1, i));
      if (i === at) return;
      if (at >= 0) {
        steps[at].classList.remove('now');
        if (row(at)) row(at).classList.remove('now');
      }
      var quiet = at < 0;
      at = i;
      steps[at].classList.add('now');
      slider.value = at + 1;
      told.textContent = 'step ' + steps[at].getAttribute('data-step') + ' of ' + steps[steps.length - 1].getAttribute('data-step');
      first.disabled = back.disabled = at === 0;
      on.disabled = last.disabled = at === steps.length - 1;
      var r = row(at);
      if (!r) return;
      r.classList.add('now');
      var band = r.querySelector('.band'), y = +band.getAttribute('y'), h = +band.getAttribute('height');
      if (quiet) return;
      if (y < box.scrollTop + 40) box.scrollTop = y - 60;
      else if (y + h > box.scrollTop + box.clientHeight) box.scrollTop = y + h - box.clientHeight + 40;
      var x = +r.getAttribute('data-x');
      if (x < box.scrollLeft + 20) box.scrollLeft = x - 150;
      else if (x + 150 > box.scrollLeft + box.clientWidth) box.scrollLeft = x + 180 - box.clientWidth;
    }
    player.addEventListener('keydown', function (e) {
      var scrolls = e.target === box && box.scrollWidth > box.clientWidth;
      if (e.target === slider || e.altKey || e.ctrlKey || e.metaKey) return;
      if (e.key === 'ArrowRight' && !scrolls) show(at + 1);
      else if (e.key === 'ArrowLeft' && !scrolls) show(at - 1);
      else return;
      e.preventDefault();
    });
    box.addEventListener('click', function (e) {
      var r = e.target.closest('.row');
      if (r) show(steps.findIndex(function (s) { return s.getAttribute('data-step') === r.getAttribute('data-step'); }));
    });
    player.querySelectorAll('.row > title').forEach(function (title) { title.remove(); });
    box.addEventListener('mousemove', function (e) {
      var r = e.target.closest('.row'), i = r ? steps.findIndex(function (s) { return s.getAttribute('data-step') === r.getAttribute('data-step'); }) : -1;
      tell(i < 0 ? null : steps[i], e);
    });
    box.addEventListener('mouseleave', function () { tell(null); });
    function follow() {
      var i = steps.findIndex(function (s) { return '#' + s.id === location.hash; });
      if (i >= 0) show(i);
    }
    window.addEventListener('hashchange', follow);
    all.insertBefore(bar, all.children[1]);
    all.open = true;
    player.classList.add('live');
    show(0);
    follow();
  }
  document.querySelectorAll('.player').forEach(walk);

  /* ---- stories that are packed ---- */
  var stories = null;
  function unpack() {
    if (!stories) {
      var text = document.getElementById('packed-stories').content.textContent;
      var bytes = Uint8Array.from(atob(text), function (c) { return c.charCodeAt(0); });
      var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
      stories = new Response(stream).text().then(function (all) { return all.split('\0'); });
    }
    return stories;
  }
  function bring(place) {
    if (place.getAttribute('aria-busy')) return;
    place.setAttribute('aria-busy', 'true');
    unpack().then(function (all) {
      place.innerHTML = all[+place.getAttribute('data-story')];
      place.className = '';
      place.removeAttribute('aria-busy');
      walk(place.firstElementChild);
    });
  }
  var near = new IntersectionObserver(function (seen) {
    seen.forEach(function (s) {
      if (!s.isIntersecting) return;
      near.unobserve(s.target);
      bring(s.target);
    });
  }, { rootMargin: '600px' });
  document.querySelectorAll('.packed').forEach(function (place) { near.observe(place); });
  function reach() {
    var story = location.hash.match(/^#(s[0-9]+-[A-Z0-9]+)(-[0-9]+)?$/), e = story && document.getElementById(story[1]);
    if (!e) return;
    if (e.localName === 'details') e.open = true;
    e.querySelectorAll('.packed').forEach(bring);
  }
  window.addEventListener('hashchange', reach);
  reach();

  /* ---- the table of scenarios ---- */
  function overview(table) {
    var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
    if (rows.length < 2) return;
    rows.forEach(function (row) {
      var link = row.querySelector('a[href]');
      row.section = link ? document.getElementById(link.getAttribute('href').slice(1)) : null;
      row.failed = !row.querySelector('.verdict.pass');
      row.words = (row.textContent + ' ' + (row.section ? Array.prototype.map.call(row.section.querySelectorAll('h3,.sentence,.facts dd'),
        function (e) { return e.textContent; }).join(' ') : '')).toLowerCase();
    });
    var tools = document.createElement('div');
    tools.className = 'tools';
    tools.setAttribute('role', 'search');
    var search = document.createElement('input');
    search.type = 'search';
    search.placeholder = 'Search: a name, LK010, a fault';
    search.setAttribute('aria-label', 'Search scenarios');
    var only = document.createElement('button');
    only.type = 'button';
    only.textContent = 'Failed only';
    only.setAttribute('aria-label', 'Failed only');
    only.setAttribute('aria-pressed', 'false');
    only.disabled = !rows.some(function (row) { return row.failed; });
    var count = document.createElement('output');
    function filter() {
      var words = search.value.toLowerCase().split(/\s+/), failed = only.getAttribute('aria-pressed') === 'true', shown = 0;
      rows.forEach(function (row) {
        var fits = (!failed || row.failed) && words.every(function (w) { return row.words.indexOf(w) >= 0; });
        row.hidden = !fits;
        if (row.section) row.section.hidden = !fits;
        shown += fits;
      });
      count.textContent = shown + ' of ' + rows.length;
    }
    search.addEventListener('input', filter);
    only.addEventListener('click', function () {
      only.setAttribute('aria-pressed', only.getAttribute('aria-pressed') === 'true' ? 'false' : 'true');
      filter();
    });
    tools.append(search, only, count);
    table.classList.add('sortable');
    table.before(tools);
    filter();
    var orders = ['!', 'FAIL', 'ERROR', 'INCONCLUSIVE', 'VACUOUS', 'PASS'];
    function key(row, column) {
      var text = row.cells[column].textContent.trim();
      if (column === 0) return orders.indexOf(row.querySelector('.verdict').lastChild.textContent.trim());
      if (column === 3) return +(text.replace(/,/g, '').match(/[0-9]+/) || [0])[0];
      return text;
    }
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      var b = document.createElement('button');
      b.type = 'button';
      b.textContent = head.textContent;
      b.setAttribute('aria-label', 'Sort by ' + head.textContent);
      head.textContent = '';
      head.appendChild(b);
      b.addEventListener('click', function () {
        var up = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
        Array.prototype.forEach.call(table.tHead.rows[0].cells, function (other) { other.removeAttribute('aria-sort'); });
        head.setAttribute('aria-sort', up > 0 ? 'ascending' : 'descending');
        rows.map(function (row, i) { return { row: row, key: key(row, column), i: i }; }).sort(function (a, b) {
          return a.key < b.key ? -up : a.key > b.key ? up : a.i - b.i;
        }).forEach(function (x) { body.appendChild(x.row); });
      });
    });
  }
  document.querySelectorAll('table.scenarios').forEach(overview);
})();
