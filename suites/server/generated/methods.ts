/** basic/index: methods that do not exist, as requests and as notifications. */

import fc from 'fast-check';
import { sequence } from '../../../harness/generate/sequence.js';
import { handshakeMethods } from '../../../harness/record/handshake.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import { definedRevisions } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { expectRefusal, unknownMethodRows } from '../../shared/unknown-method.js';
import { inherited, membersOf, texts } from './values.js';

/** Whether any revision defines a method of that name. */
const isMethod = (name: string): boolean =>
  definedRevisions
    .map(vocabularyOf)
    .some(({ requests, notifications }) =>
      [requests, notifications].some(({ client, server }) => client.has(name) || server.has(name)),
    );

/** Changes that a careless comparison of names ignores. */
const slips: readonly ((name: string) => string)[] = [
  name => `${name} `,
  name => ` ${name}`,
  name => `${name}\u0000`,
  name => `${name}/`,
  name => `/${name}`,
  name => name.toUpperCase(),
  name => name.replace(/[a-z]/, letter => letter.toUpperCase()),
  name => name.replace('/', '.'),
  name => name.replace('/', '//'),
  name => name.slice(0, -1),
];

const almost = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...slips)).map(([name, slip]) => slip(name));

const unknown = (names: readonly string[]): fc.Arbitrary<string> =>
  fc
    .oneof(
      { withCrossShrink: true },
      { weight: 1, arbitrary: fc.constantFrom(...inherited) },
      { weight: 3, arbitrary: almost(names) },
      { weight: 2, arbitrary: texts },
    )
    .filter(name => !isMethod(name));

const requests = ['ping', 'tools/list', 'prompts/list', 'resources/list'];
const notifications = ['notifications/cancelled', 'notifications/progress', handshakeMethods.notification];

export const scenarios = [
  scenario('server/generated/methods/requests', {
    title: 'a request with an unknown method, similar to a known one or not, gets error -32601',
    verifies: unknownMethodRows,
    generated: true,
    async run({ peer, property }) {
      // a header repeats the method: it holds visible ASCII only
      const isInHeader = peer.conversation.isStateless && peer.link.http !== undefined;
      const names = unknown(requests).filter(name => !isInHeader || /^[\x21-\x7e]+$/.test(name));
      await property(sequence(names, 6), async (methods, { peer, expect }) => {
        for (const method of methods)
          expectRefusal(expect, await peer.request(method, undefined, { deliberate: true }));
      });
    },
  }),

  scenario('server/generated/methods/notifications', {
    title: 'an unknown notification gets no response, whatever its params',
    verifies: ['jsonrpc.notification-not-answered'],
    generated: true,
    async run({ property }) {
      await property(
        fc.record(
          {
            method: unknown(notifications).map(name =>
              name.startsWith('notifications/') ? name : `notifications/${name}`,
            ),
            params: fc.oneof({ withCrossShrink: true }, fc.constant({}), membersOf(texts)),
          },
          { noNullPrototype: true },
        ),
        async ({ method, params }, { peer }) => {
          peer.notify(method, params, { deliberate: true });
          await peer.barrier();
        },
      );
    },
  }),
];
