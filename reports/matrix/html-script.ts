/** The functions of the page of a matrix: a square opens its cell; the tiles show squares of some verdicts only. */

export const script = `
'use strict';
const all = (selector, from) => [...(from || document).querySelectorAll(selector)];
const cells = JSON.parse(document.getElementById('data').textContent);
const panel = document.getElementById('cell');

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children.filter(child => child !== null));
  return element;
}

function show(at, scroll) {
  const cell = cells[at];
  for (const chip of all('button.chip')) chip.setAttribute('aria-current', String(chip.dataset.cell === String(at)));
  const facts = [
    cell.negotiated && (cell.negotiated === cell.revision ? 'revision ' + cell.negotiated : 'revision in use: ' + cell.negotiated + ', planned: ' + cell.revision),
    cell.duration,
    cell.record && 'record: ' + cell.record,
  ].filter(Boolean).join(' · ');
  const evidence = new Set(cell.findings.filter(f => f.grade === 'violation').flatMap(f => f.lines));
  panel.replaceChildren(
    make('h2', {}, cell.name.replaceAll('/', ' · ')),
    make('span', { class: 'verdict v-' + cell.verdict }, cell.words),
    make('p', { class: 'reason' }, cell.reason || 'Every step that both offer works.'),
    make('p', { class: 'facts' }, facts),
    make('code', { class: 'replay' }, cell.replay),
    cell.findings.length === 0 ? null : make('h3', {}, 'Violations and warnings'),
    cell.findings.length === 0 ? null : make('ul', { class: 'findings' }, ...cell.findings.map(finding)),
    cell.steps.length === 0 ? null : make('h3', {}, 'Steps'),
    cell.steps.length === 0 ? null : make('table', { class: 'steps' }, make('tbody', {}, ...cell.steps.map(step))),
    cell.conversation.length === 0 ? null : make('h3', {}, 'Conversation'),
    cell.conversation.length === 0 ? null : make('ol', { class: 'talk' }, ...cell.conversation.map((line, number) => talk(line, evidence.has(number)))),
    ...['client', 'server'].flatMap(side => cell.output[side].length === 0 ? [] : [make('h3', {}, 'Output of the ' + side), make('pre', {}, cell.output[side].join('\\n'))]),
  );
  panel.hidden = false;
  if (scroll) panel.scrollIntoView({ block: 'start' });
}

function finding(f) {
  return make('li', {}, make('b', {}, f.grade + ' of the ' + f.side + ': '), make('a', { href: f.url }, f.requirement),
    make('br'), 'expected ' + f.expected.join(' or '), f.actual === null ? '' : '; actual: ', f.actual === null ? null : make('code', {}, f.actual),
    f.count > 1 ? ' (' + f.count + ' times)' : '');
}

function step(s) {
  const failed = s.outcome === 'error' || s.outcome === 'unanswered' || (s.outcome === 'done' && s.reported && s.reported.error);
  const words = s.error || (s.reported && s.reported.error ? 'the client reports: ' + s.reported.error : s.result || '');
  return make('tr', {}, make('td', {}, String(s.step)), make('td', {}, s.name),
    make('td', failed ? { class: 'bad' } : {}, failed && s.outcome === 'done' ? 'rejected by the client' : s.outcome.replaceAll('-', ' ')), make('td', {}, make('code', {}, words.slice(0, 300))));
}

function talk([at, by, text], isEvidence) {
  return make('li', { class: by + (isEvidence ? ' evidence' : '') }, make('span', { class: 'at' }, '+' + (at / 1000).toFixed(3) + ' s'),
    make('span', { class: 'by' }, by === 'client' ? 'client →' : by === 'server' ? '← server' : ''), make('code', {}, text));
}

for (const chip of all('button.chip')) chip.addEventListener('click', () => { location.hash = cells[chip.dataset.cell].name; });

const tiles = all('button[data-verdict]');
for (const tile of tiles) tile.addEventListener('click', () => {
  tile.setAttribute('aria-pressed', String(tile.getAttribute('aria-pressed') !== 'true'));
  const wanted = tiles.filter(t => t.getAttribute('aria-pressed') === 'true').map(t => t.dataset.verdict);
  for (const chip of all('button.chip')) chip.classList.toggle('dim', wanted.length > 0 && !wanted.includes(chip.dataset.v));
});

function reveal() {
  const name = decodeURIComponent(location.hash.slice(1));
  const at = cells.findIndex(cell => cell.name === name);
  if (at !== -1) show(at, true);
}
addEventListener('hashchange', reveal);
reveal();
`;
