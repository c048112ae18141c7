/** server/*: cursors, completion, resources, levels and prompts with texts of every kind. */

import fc from 'fast-check';
import { sequence } from '../../../harness/generate/sequence.js';
import { type Exchange, errorOf, resultOf } from '../../../harness/record/message.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import { pagedLists } from '../lists.js';
import { ids } from './ids.js';
import { anyCharacter, completable, isServed, texts } from './values.js';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** What lenient readers take for a level. */
const almostLevels = fc
  .tuple(
    fc.constantFrom(...levels),
    fc.constantFrom<(level: string) => string>(
      level => `${level} `,
      level => ` ${level}`,
      level => level.toUpperCase(),
      level => level[0]!.toUpperCase() + level.slice(1),
      level => level.slice(0, 3),
      level => `${level}s`,
      level => `${levels.indexOf(level)}`,
    ),
  )
  .map(([level, change]) => change(level));

/** The part of a URI after its scheme and authority, as RFC 3986 allows it: percent signs, dots and all. */
const paths = sequence(
  fc.oneof(
    fc.constantFrom(...'%25 %2F %00 %E2%82%AC %FF %C3 %E2%82 .. . // ~ : @ ? &'.split(' ')),
    fc.stringMatching(/^[a-zA-Z0-9_-]{1,6}$/),
  ),
  4,
).map(parts => parts.join(''));

/** What is typed so far: letters as a rule, and what patterns and trimming make something else of. */
const typed = fc.oneof(
  { withCrossShrink: true },
  { weight: 2, arbitrary: texts },
  fc.constantFrom('(', '[', '*', '\\', '+', '?', ' ', ' a', 'a '),
);

/** No cursor of anybody: they begin with who made them up. */
const madeUp = fc.oneof(
  { withCrossShrink: true },
  texts,
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...'aZ09+/=_-'), minLength: 30, maxLength: 80, size: 'max' }),
);

const nextOf = (exchange: Exchange): string | undefined => {
  const next = resultOf(exchange)?.nextCursor;
  return typeof next === 'string' ? next : undefined;
};

export const scenarios = [
  scenario('server/generated/features/pages', {
    title: 'a cursor leads to its page again, whatever pages were asked for in between',
    verifies: ['pagination.stable-cursors'],
    generated: true,
    async run({ peer, expect, property }) {
      const lists = pagedLists(peer);
      const [paged, longer]: [string[], string[]] = [[], []];
      for (const { method } of lists) {
        const cursor = nextOf(await peer.request(method));
        if (cursor === undefined) continue;
        paged.push(method);
        if (nextOf(await peer.request(method, { cursor })) !== undefined) longer.push(method);
      }
      if (paged.length === 0)
        return expect.notObserved('pagination.stable-cursors', 'no list has a second page');
      await property(
        fc.record(
          // with one cursor there is nothing to mix up
          { method: fc.constantFrom(...(longer.length > 0 ? longer : paged)), pages: sequence(fc.nat(4), 8) },
          { noNullPrototype: true },
        ),
        async ({ method, pages }, { peer, expect }) => {
          const first = await peer.request(method);
          const { changed } = lists.find(list => list.method === method)!;
          const changes = () => peer.conversation.notifications({ by: 'subject', method: changed });
          const [cursors, asked] = [new Set([nextOf(first)]), new Set<string>()];
          for (const page of pages) {
            const cursor = [...cursors][page % cursors.size];
            if (cursor === undefined) break;
            const exchange = await peer.request(method, { cursor });
            if (changes().some(change => change.seq > first.request.seq)) break;
            // that it is the same page is for a rule to say
            if (asked.has(cursor)) expect('pagination.stable-cursors', exchange).result();
            if (!resultOf(exchange)) break;
            asked.add(cursor);
            const next = nextOf(exchange);
            if (next !== undefined) cursors.add(next);
          }
          if (asked.size === 0) expect.notObserved('pagination.stable-cursors', 'no page was given');
        },
        { most: 15 },
      );
    },
  }),

  scenario('server/generated/features/progress-tokens', {
    title: 'progress names whatever token it was asked for with, by value and type',
    verifies: ['progress.token-of-active-request'],
    fixtures: ['role progress'],
    generated: true,
    async run({ property }) {
      await property(
        sequence(ids, 48),
        async (tokens, { peer, tool, expect }) => {
          const before = peer.conversation.events.length;
          const calls = [...new Set(tokens)].map(progressToken =>
            peer.request('tools/call', tool('progress'), { meta: { progressToken } }),
          );
          await Promise.all(calls);
          await peer.barrier();
          // whether it names a token is for a rule to say
          const since = peer.conversation.events[before]?.seq ?? Number.POSITIVE_INFINITY;
          const reports = peer.conversation.notifications({
            by: 'subject',
            method: 'notifications/progress',
          });
          if (!reports.some(report => report.seq > since))
            expect.notObserved('progress.token-of-active-request', 'there is no progress');
        },
        { most: 4 },
      );
    },
  }),

  scenario('server/generated/features/cursors', {
    title: 'a cursor that was made up is refused as invalid params, and hurts nobody',
    verifies: ['pagination.invalid-cursor-error', 'pagination.invalid-cursor-graceful'],
    generated: true,
    async run({ peer, expect, property }) {
      const methods = pagedLists(peer).map(({ method }) => method);
      if (methods.length === 0) {
        expect.notObserved('pagination.invalid-cursor-error', 'no list is declared');
        return expect.notObserved('pagination.invalid-cursor-graceful', 'no list is declared');
      }
      await property(
        fc.record({ method: fc.constantFrom(...methods), text: madeUp }, { noNullPrototype: true }),
        async ({ method, text }, { peer, expect }) => {
          const cursor = `mcp-conform-${text}`;
          const exchange = await peer.request(method, { cursor }, { deliberate: true });
          if (await isServed(peer, { method }))
            expect('pagination.invalid-cursor-error', exchange).error(-32602);
          else expect.notObserved('pagination.invalid-cursor-error', `${method} is refused`);
          expect.that('pagination.invalid-cursor-graceful', !peer.ended, 'a server that still answers', [
            exchange,
          ]);
        },
      );
    },
  }),

  scenario('server/generated/features/completion', {
    title: 'any text is completed, if only with nothing',
    verifies: ['completion.server-validates-inputs', 'completion.max-100-values'],
    generated: true,
    async run({ known, expect, property }) {
      const all = completable(known);
      if (all.length === 0) {
        expect.notObserved('completion.server-validates-inputs', 'nothing is known that could be completed');
        return expect.notObserved('completion.max-100-values', 'nothing is known that could be completed');
      }
      await property(
        fc.record({ at: fc.constantFrom(...all), value: typed }, { noNullPrototype: true }),
        async ({ at: { ref, argument }, value }, { peer, expect }) => {
          const exchange = await peer.request('completion/complete', {
            ref,
            argument: { name: argument, value },
          });
          expect.that(
            'completion.server-validates-inputs',
            errorOf(exchange)?.code !== -32603,
            'a result, or a refusal that is no internal error',
            [exchange],
            JSON.stringify(errorOf(exchange)),
          );
          // whether there are too many values is for a rule to say
          if (!resultOf(exchange)) expect.notObserved('completion.max-100-values', 'nothing is completed');
        },
      );
    },
  }),

  scenario('server/generated/features/unknown-resources', {
    title: 'a resource that does not exist is not found, whatever its URI looks like',
    verifies: ['resources.not-found-code-32002', 'resources.uris-validated'],
    generated: true,
    async run({ property }) {
      await property(
        paths.map(path => `test://mcp-conform/no-such-resource/${path}`),
        async (uri, { peer, expect }) => {
          const exchange = await peer.request('resources/read', { uri });
          // who makes something of any URI has none that does not exist
          if (resultOf(exchange)) expect.notObserved('resources.not-found-code-32002', 'it is read');
          else expect('resources.not-found-code-32002', exchange).error(-32002);
          expect.that('resources.uris-validated', !peer.ended, 'a server that still answers', [exchange]);
        },
      );
    },
  }),

  scenario('server/generated/features/unknown-levels', {
    title: 'what is almost a level is none',
    verifies: ['logging.invalid-level-error'],
    generated: true,
    async run({ property }) {
      await property(
        fc.oneof({ weight: 2, arbitrary: almostLevels }, { weight: 1, arbitrary: texts }),
        async (level, { peer, expect }) => {
          const exchange = await peer.request('logging/setLevel', { level }, { deliberate: true });
          expect('logging.invalid-level-error', exchange).error(-32602);
        },
      );
    },
  }),

  scenario('server/generated/features/echoed-texts', {
    title: 'characters of every plane come back as they were sent',
    verifies: ['transport.utf8'],
    fixtures: ['prompt test_prompt_with_arguments'],
    generated: true,
    async run({ property }) {
      await property(
        fc.oneof(
          { withCrossShrink: true },
          fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 }),
          texts,
        ),
        async (text, { peer, expect }) => {
          const got = await peer.request('prompts/get', {
            name: 'test_prompt_with_arguments',
            arguments: { arg1: text, arg2: '' },
          });
          const written = JSON.stringify(text).slice(1, -1);
          expect('transport.utf8', got).result(r =>
            JSON.stringify(r).includes(written) ? undefined : `the text ${written}`,
          );
        },
      );
    },
  }),
];
