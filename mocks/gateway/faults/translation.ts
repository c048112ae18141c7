/** Faults of a gateway that translates for a client with a handshake, before a server without one. */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import { without } from '../../../spec/json-rpc.js';
import { latestRevision } from '../../../spec/revisions.js';
import { type GatewayDeviation, gatewayFault } from '../fault.js';
import { plainTranslation } from '../translation.js';

const where = ({ id }: { readonly id: string }): boolean => id === latestRevision.id;

export const translationFaults: readonly GatewayDeviation[] = [
  gatewayFault('gw-translated-code-lost', {
    what: 'A gateway between two eras answers each error of the server with the code for internal errors.',
    breaks: ['gateway.errors-unchanged'],
    where,
    translation: { error: error => ({ ...error, code: -32_603 }) },
  }),
  gatewayFault('gw-translated-error-as-result', {
    what: 'A gateway between two eras turns isError of a result into its absence.',
    breaks: ['gateway.results-unchanged'],
    where,
    translation: { result: result => without(plainTranslation.result(result), 'isError') },
  }),
  gatewayFault('gw-translated-meta-lost', {
    what: 'A gateway between two eras sends requests with its own members of _meta only.',
    breaks: ['gateway.request-meta-kept'],
    where,
    translation: {
      envelope: own =>
        Object.fromEntries(
          Object.entries(own).filter(([name]) => (Object.values(envelopeKeys) as string[]).includes(name)),
        ),
    },
  }),
  gatewayFault('gw-translated-cancellation-lost', {
    what: 'A gateway between two eras does not translate notifications/cancelled.',
    breaks: ['gateway.cancellations-forwarded'],
    where,
    translation: { cancels: false },
  }),
  gatewayFault('gw-translated-changes-lost', {
    what: 'A gateway between two eras subscribes, and does not pass on what it is notified of.',
    breaks: ['gateway.server-notifications-forwarded'],
    where,
    translation: { notifies: false },
  }),
  gatewayFault('gw-translated-question-as-result', {
    what: 'A gateway between two eras passes the questions of a server on as a result.',
    breaks: ['base.schema-valid'],
    where,
    translation: { asks: false, result: result => result },
  }),
  gatewayFault('gw-translated-state-changed', {
    what: 'A gateway between two eras repeats a request with another end of the state of the server.',
    breaks: ['mrtr.client-echoes-state', 'mrtr.client-state-opaque'],
    where,
    translation: { retry: params => ({ ...params, requestState: `${String(params.requestState)}=` }) },
  }),
  gatewayFault('gw-ping-forwarded', {
    what: 'A gateway between two eras sends ping to a server that does not know it.',
    breaks: ['ping.answered-empty'],
    where,
    translation: { forwardsPing: true },
  }),
];
