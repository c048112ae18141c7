/** server/utilities/pagination: lists of several pages. */

import { resultOf } from '../../harness/record/message.js';
import type { ClientContext } from '../../harness/scenario/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { pages } from '../../harness/scenario/serve.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import { cursorOf } from '../rules/client/pagination.js';
import { prompt, resource, tool } from './world.js';

const tools = (prefix: string, count: number): JsonObject[] =>
  Array.from({ length: count }, (_, n) => tool(`${prefix}-${n + 1}`));

const template = (name: string): JsonObject => ({ uriTemplate: `test://${name}/{id}`, name });

/** Cursors that a client might parse and change. */
const strange = [
  ' with blanks around ',
  '100',
  '{"page": 3}',
  'a%20b+c/d==',
  'Zürich → 東京 🚉',
  'long'.repeat(1_000),
];

/** Cursors that a test of truth takes for the end, after a plain one. */
const endless = ['plain', '0', 'null', 'false', 'end', ''];

/** Expects requests up to the last page from a client that has to list everything. */
async function expectWhole<Id extends RequirementId>(
  { peer, expect, scripted }: ClientContext<Id>,
  id: Id,
  method: string,
): Promise<void> {
  await peer.caseOver();
  const asked = peer.requestsOfCase(method);
  const last = asked.at(-1);
  if (!last) return;
  // the client may have sent a cursor in its first request, which is judged by the rules
  if (asked.every(e => e.reply?.kind === 'error'))
    return expect.notObserved(id, 'the server refused the first page');
  const whole = asked.some(e => resultOf(e) !== undefined && resultOf(e)!.nextCursor === undefined);
  if (whole) expect.noViolation(id, [last]);
  else if (scripted) {
    const followed = asked.filter(e => cursorOf(e) !== undefined).length;
    expect.that(id, {
      ok: false,
      expected: 'requests up to the last page',
      evidence: [last],
      actual: followed === 0 ? 'only the first page is requested' : `${followed + 1} pages are requested`,
    });
  } else expect.notObserved(id, 'the client may need no further page');
}

export const scenarios = [
  scenario.client('client/pagination/strange-cursors', {
    title: 'a client sends cursors back unchanged, whatever their form',
    verifies: ['pagination.cursor-opaque', 'pagination.missing-next-cursor-is-end'],
    serve: {
      'tools/list': pages(
        [undefined, ...strange].map((_, n) => tools(`on-page-${n + 1}`, 1)),
        strange,
      ),
    },
    does: [['connect'], ['list', 'tools'], ['close']],
  }),

  scenario.client('client/pagination/uneven-pages', {
    title: 'a client follows pages of any size to the last one',
    verifies: [
      'pagination.no-fixed-page-size',
      'pagination.client-supports-both-flows',
      'pagination.missing-next-cursor-is-end',
    ],
    serve: { 'tools/list': pages([tools('three', 3), tools('one', 1), [], tools('five', 5)]) },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run(context) {
      const { peer, expect } = context;
      const [size, flows] = [
        'pagination.no-fixed-page-size',
        'pagination.client-supports-both-flows',
      ] as const;
      await peer.caseOver();
      const asked = peer.requestsOfCase('tools/list');
      if (asked.length === 0) return;
      // a client that requests no further page has no use for the size of a page, also where it lists twice
      const further = asked.find(e => cursorOf(e) !== undefined);
      if (further) expect.noViolation(flows, [further]);
      else expect.notObserved(size, 'the client requests no further page');
      await expectWhole(context, further ? size : flows, 'tools/list');
    },
  }),

  scenario.client('client/pagination/one-page-or-several', {
    title: 'a client lists items on one page and items on several pages',
    verifies: ['pagination.client-supports-both-flows', 'prompts.client-paginates'],
    serve: {
      'prompts/list': pages([[prompt('first')], [prompt('second')]]),
      'resources/list': pages([[resource('test://one')], [resource('test://two')]]),
      'resources/templates/list': pages([[template('one')], [template('two')]]),
    },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['list', 'prompts'],
      ['list', 'resources'],
      ['list', 'templates'],
      ['close'],
    ],
    isolation: 'shared',
    async run(context) {
      await expectWhole(context, 'prompts.client-paginates', 'prompts/list');
      await expectWhole(context, 'pagination.client-supports-both-flows', 'resources/list');
      await expectWhole(context, 'pagination.client-supports-both-flows', 'resources/templates/list');
    },
  }),

  scenario.client('client/pagination/falsy-cursors', {
    title: 'a client follows an empty cursor, and cursors that look like the end of a list',
    verifies: ['pagination.empty-cursor-is-valid', 'pagination.cursor-value-not-interpreted'],
    serve: {
      'tools/list': pages(
        [undefined, ...endless].map((_, n) => tools(`on-page-${n + 1}`, 1)),
        endless,
      ),
    },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect, scripted }) {
      const [empty, odd] = [
        'pagination.empty-cursor-is-valid',
        'pagination.cursor-value-not-interpreted',
      ] as const;
      await peer.caseOver();
      const asked = peer.requestsOfCase('tools/list');
      const cursors = asked.map(({ request }) => request.params?.cursor);
      if (!cursors.includes(endless[0]))
        return expect.notObserved([empty, odd], 'the client requests no further page');
      for (const [n, cursor] of endless.entries()) {
        const row = cursor === '' ? empty : odd;
        if (n === 0) continue;
        const last = asked.find(({ request }) => request.params?.cursor === endless[n - 1]);
        if (!last) break;
        const went = cursors.includes(cursor);
        if (went || scripted)
          expect.that(row, {
            ok: went,
            expected: `a request with the cursor ${JSON.stringify(cursor)}`,
            evidence: [last],
            actual: 'none',
          });
        else expect.notObserved(row, 'the client may need no further page');
      }
      for (const row of [empty, odd])
        if (!cursors.includes(endless[endless.length - 1]!) && !scripted)
          expect.notObserved(row, 'the client may need no further page');
    },
  }),

  scenario.client('client/pagination/next-session', {
    title: 'a client that connects again requests its lists from the first page',
    verifies: ['pagination.cursor-not-persisted'],
    serve: { 'tools/list': pages([tools('a', 1), tools('b', 1)]) },
    does: [['connect'], ['list', 'tools'], ['close'], ['connect'], ['list', 'tools'], ['close']],
  }),
];
