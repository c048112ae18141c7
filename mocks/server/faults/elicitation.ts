/** client/elicitation, the server's part. */

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

/** Something else than that what was filled in is wrong. @param told what the user reads, by what was filled in, as JSON */
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

/** What a client filled in, as JSON; nothing in other messages. */
const contentOf = (message: Json): string =>
  isObject(message) && isObject(message.result) ? (JSON.stringify(message.result.content) ?? '') : '';

const here = { where: (revision: Parameters<typeof featuresOf>[0]) => featuresOf(revision).elicitation };

export const elicitationFaults = [
  fault(
    'page-undeclared',
    {
      what: 'Users are sent to web pages although the client declared no modes.',
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
    { what: 'A form has an object as a field.', breaks: ['elicitation.schema-flat-primitive'] },
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
    { what: 'A form is asked for without saying which.', breaks: ['elicitation.form-parameters'] },
    onForm(params => without(params, 'requestedSchema')),
  ),

  fault(
    'form-without-message',
    { what: 'A form is asked for without a message.', breaks: ['elicitation.common-parameters'] },
    onForm(params => without(params, 'message')),
  ),

  fault(
    'page-without-url',
    { what: 'Users are sent to no page at all.', breaks: ['elicitation.url-parameters'] },
    onPage(params => without(params, 'url')),
  ),

  fault(
    'page-url-invalid',
    { what: 'Users are sent to what is no URL.', breaks: ['elicitation.url-valid'] },
    onPage(params => ({ ...params, url: 'somewhere nice' })),
  ),

  fault(
    'page-url-with-password',
    { what: 'The page opens with a password in its URL.', breaks: ['elicitation.url-no-user-secrets'] },
    onPage(params => ({ ...params, url: 'https://ada:secret@example.com/elicitation' })),
  ),

  fault(
    'page-id-reused',
    { what: 'All elicitations have the same id.', breaks: ['elicitation.id-unique'] },
    onPage(params => ({ ...params, elicitationId: 'the-same' })),
    onMessage(message =>
      message.method === 'notifications/elicitation/complete'
        ? { ...message, params: { elicitationId: 'the-same' } }
        : message,
    ),
  ),

  fault(
    'page-completed-under-other-id',
    { what: 'An elicitation nobody knows is said to be complete.', breaks: ['elicitation.complete-has-id'] },
    onMessage(message =>
      message.method === 'notifications/elicitation/complete'
        ? { ...message, params: { elicitationId: 'nobody-knows' } }
        : message,
    ),
  ),

  fault(
    'declined-form-hangs',
    {
      what: 'When the user declines, the call is never answered.',
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
      what: 'Whatever the client fills in is used.',
      breaks: ['elicitation.content-validated-by-server'],
    },
    ...onWrongForm(/filled in wrongly|malformed/, content => `User response: accept, ${content}`),
  ),
];
