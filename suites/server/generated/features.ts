/** server/*: cursors, completion, resources, log levels and prompts with generated texts. */

import fc from 'fast-check';
import { sequence } from '../../../harness/generate/sequence.js';
import type { Peer } from '../../../harness/peer/peer.js';
import { envelopeKeys } from '../../../harness/record/envelope.js';
import { type Exchange, errorOf, resultOf } from '../../../harness/record/message.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import { pagedLists } from '../lists.js';
import { expectNotFound } from '../not-found.js';
import { ids } from './ids.js';
import { anyCharacter, completable, isServed, texts } from './values.js';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Texts that a lenient parser accepts as a level. */
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

/** The part of a URI after its scheme and authority, as RFC 3986 allows: also with percent signs and dots. */
const paths = sequence(
  fc.oneof(
    fc.constantFrom(...'%25 %2F %00 %E2%82%AC %FF %C3 %E2%82 .. . // ~ : @ ? &'.split(' ')),
    fc.stringMatching(/^[a-zA-Z0-9_-]{1,6}$/),
  ),
  4,
).map(parts => parts.join(''));

/** A partial value: usually letters, sometimes characters that patterns and trimming change. */
const typed = fc.oneof(
  { withCrossShrink: true },
  { weight: 2, arbitrary: texts },
  fc.constantFrom('(', '[', '*', '\\', '+', '?', ' ', ' a', 'a '),
);

/** Texts for invalid cursors: with the prefix `mcp-conform-` they equal no cursor of a server. */
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

/** Asks for log messages from a level on, which may be invalid: by a request, or by the metadata of one. */
const atLevel = (peer: Peer, level: string): Promise<Exchange> =>
  peer.vocabulary.requests.client.has('logging/setLevel')
    ? peer.request('logging/setLevel', { level }, { deliberate: true })
    : peer.harmless(undefined, { meta: { [envelopeKeys.logLevel]: level }, deliberate: true });

export const scenarios = [
  scenario('server/generated/features/pages', {
    title: 'a cursor returns the same page again, whatever pages are requested in between',
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
          // a single cursor cannot be confused with another
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
            // a rule compares the pages
            if (asked.has(cursor)) expect('pagination.stable-cursors', exchange).result();
            if (!resultOf(exchange)) break;
            asked.add(cursor);
            const next = nextOf(exchange);
            if (next !== undefined) cursors.add(next);
          }
          if (asked.size === 0)
            expect.notObserved('pagination.stable-cursors', 'the server returned no page');
        },
        { most: 15 },
      );
    },
  }),

  scenario('server/generated/features/progress-tokens', {
    title: 'notifications/progress has the progress token of its request, with the same value and type',
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
          // a rule checks the token
          const since = peer.conversation.events[before]?.seq ?? Number.POSITIVE_INFINITY;
          const reports = peer.conversation.notifications({
            by: 'subject',
            method: 'notifications/progress',
          });
          if (!reports.some(report => report.seq > since))
            expect.notObserved('progress.token-of-active-request', 'the server sent no progress');
        },
        { most: 4 },
      );
    },
  }),

  scenario('server/generated/features/cursors', {
    title: 'an invalid cursor gets error -32602, and later requests get a response',
    verifies: ['pagination.invalid-cursor-error', 'pagination.invalid-cursor-graceful'],
    generated: true,
    async run({ peer, expect, property }) {
      const methods = pagedLists(peer).map(({ method }) => method);
      if (methods.length === 0) {
        expect.notObserved('pagination.invalid-cursor-error', 'the server declares no list');
        return expect.notObserved('pagination.invalid-cursor-graceful', 'the server declares no list');
      }
      await property(
        fc.record({ method: fc.constantFrom(...methods), text: madeUp }, { noNullPrototype: true }),
        async ({ method, text }, { peer, expect }) => {
          const cursor = `mcp-conform-${text}`;
          const exchange = await peer.request(method, { cursor }, { deliberate: true });
          if (await isServed(peer, { method }))
            expect('pagination.invalid-cursor-error', exchange).error(-32602);
          else expect.notObserved('pagination.invalid-cursor-error', `${method} is refused`);
          expect.that('pagination.invalid-cursor-graceful', {
            ok: !peer.ended,
            expected: 'a server that still responds',
            evidence: [exchange],
            actual: 'the connection ended',
          });
        },
      );
    },
  }),

  scenario('server/generated/features/completion', {
    title: 'completion/complete with any text gets a result or a refusal, and no internal error',
    verifies: ['completion.server-validates-inputs', 'completion.max-100-values'],
    generated: true,
    async run({ known, expect, property }) {
      const all = completable(known);
      if (all.length === 0) {
        expect.notObserved(
          'completion.server-validates-inputs',
          'no prompt argument and no template variable is known',
        );
        return expect.notObserved(
          'completion.max-100-values',
          'no prompt argument and no template variable is known',
        );
      }
      await property(
        fc.record({ at: fc.constantFrom(...all), value: typed }, { noNullPrototype: true }),
        async ({ at: { ref, argument }, value }, { peer, expect }) => {
          const exchange = await peer.request('completion/complete', {
            ref,
            argument: { name: argument, value },
          });
          expect.that('completion.server-validates-inputs', {
            ok: errorOf(exchange)?.code !== -32603,
            expected: 'a result, or an error other than -32603',
            evidence: [exchange],
            actual: JSON.stringify(errorOf(exchange)),
          });
          // a rule counts the values
          if (!resultOf(exchange))
            expect.notObserved('completion.max-100-values', 'the server returned no completion');
        },
      );
    },
  }),

  scenario('server/generated/features/unknown-resources', {
    title:
      'resources/read of a resource that does not exist gets the error of the revision, whatever the form of its URI',
    verifies: [
      'resources.not-found-code-32002',
      'resources.not-found-code-32602',
      'resources.no-empty-contents-when-missing',
      'resources.uris-validated',
    ],
    generated: true,
    async run({ property }) {
      await property(
        paths.map(path => `test://mcp-conform/no-such-resource/${path}`),
        async (uri, { peer, expect }) => {
          const exchange = await peer.request('resources/read', { uri });
          // a server that returns contents for any URI has no unknown resource
          await expectNotFound(peer, expect, exchange);
          expect.that('resources.uris-validated', {
            ok: !peer.ended,
            expected: 'a server that still responds',
            evidence: [exchange],
            actual: 'the connection ended',
          });
        },
      );
    },
  }),

  scenario('server/generated/features/unknown-levels', {
    title: 'a log level that is similar to a valid one gets error -32602',
    verifies: ['logging.invalid-level-error'],
    generated: true,
    async run({ property }) {
      await property(
        fc.oneof({ weight: 2, arbitrary: almostLevels }, { weight: 1, arbitrary: texts }),
        async (level, { peer, expect }) => {
          const exchange = await atLevel(peer, level);
          expect('logging.invalid-level-error', exchange).error(-32602);
        },
      );
    },
  }),

  scenario('server/generated/features/echoed-texts', {
    title: 'prompts/get returns characters of every Unicode plane unchanged',
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
