/** client/elicitation: faults of servers. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  type Hooks,
  type Middleware,
  onIncoming,
  onMessage,
  onReply,
  onRequest,
  result,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { says } from '../world/builders.js';
import { paramsOf } from './shared.js';

type Params = (params: JsonObject) => JsonObject;

const asking = (mode: 'form' | 'url', change: Params): Hooks['message'] => {
  return message => {
    if (message.method !== 'elicitation/create') return message;
    const params = paramsOf(message);
    return (params.mode === 'url') === (mode === 'url') ? { ...message, params: change(params) } : message;
  };
};
const onForm = (change: Params) => onMessage(asking('form', change));
const onPage = (change: Params) => onMessage(asking('url', change));

/**
 * Replaces the report that the form data is invalid. @param told text for the user, from the form data as
 * JSON
 */
export const onWrongForm = (wrong: RegExp, told: (content: string) => string): Middleware[] => [
  onIncoming((message, context) => {
    const last = context.keep(() => ({ content: '' }));
    last.content = contentOf(message) || last.content;
    return message;
  }),
  onReply('tools/call', (reply, ask, context) => {
    const { content } = context.keep(() => ({ content: '' }));
    return wrong.test(JSON.stringify(reply)) ? result(ask, says(told(content))) : reply;
  }),
];

/** The form data of a client, as JSON; empty for other messages. */
const contentOf = (message: Json): string =>
  isObject(message) && isObject(message.result) ? (JSON.stringify(message.result.content) ?? '') : '';

const here = { where: (revision: Parameters<typeof featuresOf>[0]) => featuresOf(revision).elicitation };

export const elicitationFaults = [
  fault(
    'page-undeclared',
    {
      what: 'elicitation/create in the mode url is sent although the client declares no modes.',
      breaks: ['elicitation.undeclared-mode-not-sent', 'elicitation.empty-capability-is-form'],
    },
    onRequest('tools/call', (ask, { session }) => {
      const { elicitation } = session.clientCapabilities;
      if (paramsOf(ask).name === 'test_elicitation_url' && isObject(elicitation))
        session.clientCapabilities = { ...session.clientCapabilities, elicitation: { form: {}, url: {} } };
      return ask;
    }),
  ),

  fault(
    'form-nested',
    {
      what: 'elicitation/create in the mode form has a schema with an object as a field.',
      breaks: ['elicitation.schema-flat-primitive'],
    },
    onForm(params => ({
      ...params,
      requestedSchema: {
        type: 'object',
        properties: { address: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    })),
  ),

  fault(
    'form-without-schema',
    {
      what: 'elicitation/create in the mode form has no requestedSchema.',
      breaks: ['elicitation.form-parameters'],
    },
    onForm(params => without(params, 'requestedSchema')),
  ),

  fault(
    'form-without-message',
    {
      what: 'elicitation/create in the mode form has no message.',
      breaks: ['elicitation.common-parameters'],
    },
    onForm(params => without(params, 'message')),
  ),

  fault(
    'page-without-url',
    { what: 'elicitation/create in the mode url has no url.', breaks: ['elicitation.url-parameters'] },
    onPage(params => without(params, 'url')),
  ),

  fault(
    'page-url-invalid',
    { what: 'elicitation/create in the mode url has an invalid URL.', breaks: ['elicitation.url-valid'] },
    onPage(params => ({ ...params, url: 'somewhere nice' })),
  ),

  fault(
    'page-url-with-password',
    {
      what: 'elicitation/create in the mode url has a password in its URL.',
      breaks: ['elicitation.url-no-user-secrets'],
    },
    onPage(params => ({ ...params, url: 'https://ada:secret@example.com/elicitation' })),
  ),

  fault(
    'page-id-reused',
    {
      what: 'elicitation/create in the mode url has the same elicitationId each time.',
      breaks: ['elicitation.id-unique'],
    },
    onPage(params => ({ ...params, elicitationId: 'the-same' })),
    onMessage(message =>
      message.method === 'notifications/elicitation/complete'
        ? { ...message, params: { elicitationId: 'the-same' } }
        : message,
    ),
  ),

  fault(
    'page-completed-under-other-id',
    {
      what: 'notifications/elicitation/complete has an unknown elicitationId.',
      breaks: ['elicitation.complete-has-id'],
    },
    onMessage(message =>
      message.method === 'notifications/elicitation/complete'
        ? { ...message, params: { elicitationId: 'nobody-knows' } }
        : message,
    ),
  ),

  fault(
    'declined-form-hangs',
    {
      what: 'tools/call gets no response when the user declines elicitation/create.',
      breaks: ['elicitation.actions-handled', 'jsonrpc.request-answered-once'],
      ...here,
    },
    onReply('tools/call', reply =>
      JSON.stringify(reply).includes('User response: decline') ? undefined : reply,
    ),
  ),

  fault(
    'form-content-unchecked',
    {
      what: 'tools/call uses elicitation content that does not match the schema.',
      breaks: ['elicitation.content-validated-by-server'],
    },
    ...onWrongForm(/filled in wrongly|malformed/, content => `User response: accept, ${content}`),
  ),
];
