/**
 * The functions of the page beyond reading: filter, keys, copying. Without the script all content is still
 * present.
 */

export const script = `
'use strict';
const all = (selector, from) => [...(from || document).querySelectorAll(selector)];
const query = document.getElementById('q');
const tiles = all('button[data-grade]');
const rows = all('.row').map(el => ({ el, grade: el.dataset.g, text: '' }));
const groups = all('.index, .area, .page, .clause, section:not(#not-applicable)').map(el => ({ el, wasOpen: el.open }));
const status = document.getElementById('shown');

function apply() {
  const words = query.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const grades = tiles.filter(t => t.getAttribute('aria-pressed') === 'true').map(t => t.dataset.grade);
  const active = words.length + grades.length > 0;
  let shown = 0;
  for (const row of rows) {
    if (words.length > 0 && row.text === '') row.text = row.el.textContent.toLowerCase();
    const fits = (grades.length === 0 || grades.includes(row.grade)) && words.every(w => row.text.includes(w));
    row.el.hidden = !fits;
    if (fits && row.el.tagName === 'TR') shown++;
  }
  for (const { el, wasOpen } of groups) {
    const some = !active || el.querySelector('.row:not([hidden])') !== null;
    el.hidden = !some;
    if ('open' in el) el.open = active ? some : wasOpen;
  }
  for (const el of all('.more')) el.hidden = active;
  status.textContent = active && shown === 0 && !rows.some(r => !r.el.hidden) ? 'Nothing matches' : active ? shown + ' of ' + rows.filter(r => r.el.tagName === 'TR').length + ' requirements shown' : '';
}

for (const button of all('button[data-open]')) button.addEventListener('click', () => {
  for (const finding of all('.finding')) finding.open = button.dataset.open !== '';
});

let waiting = 0;
query.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(apply, 80); });
for (const tile of tiles) tile.addEventListener('click', () => {
  tile.setAttribute('aria-pressed', String(tile.getAttribute('aria-pressed') !== 'true'));
  apply();
});

function reveal() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.hidden = false;
  if (target.tagName === 'DETAILS') target.open = true;
  target.scrollIntoView();
}
addEventListener('hashchange', reveal);
reveal();

function step(by) {
  const list = all('.finding:not([hidden])');
  const now = list.indexOf(document.activeElement && document.activeElement.closest('.finding'));
  const next = list[now === -1 ? (by > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, now + by))];
  if (!next) return;
  next.open = true;
  next.firstElementChild.focus();
  next.scrollIntoView();
}
addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === query) {
    if (event.key === 'Escape') { query.value = ''; apply(); query.blur(); }
    return;
  }
  if (event.key === '/') { event.preventDefault(); query.focus(); query.select(); }
  else if (event.key === 'j') step(1);
  else if (event.key === 'k') step(-1);
});

for (const block of all('.replay')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const code = block.querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  block.append(button);
}
`;
