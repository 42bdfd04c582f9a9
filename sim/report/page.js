/* page.js - walks through the steps of a story: buttons, arrow keys, a click on a row. All of it can be read without: then the list shows every step. */
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
})();
