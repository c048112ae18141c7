/** client/elicitation: faults of servers. */

import { declares } from '../../../harness/record/conversation.js';
import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  type Hooks,
  type Middleware,
  onError,
  onIncoming,
  onMessage,
  onReply,
  onRequest,
  result,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { codes } from '../refusal.js';
import { says } from '../world/builders.js';
import { key, metaOf, withMeta } from './metadata.js';
import { hasHandshake, isStateless, onAsking, paramsOf } from './shared.js';

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

const form = (change: (params: JsonObject) => JsonObject) =>
  onAsking('elicitation/create', params => (params.mode === 'url' ? params : change(params)));

const page = (change: (params: JsonObject) => JsonObject) =>
  onAsking('elicitation/create', params => (params.mode === 'url' ? change(params) : params));

/** Adds a field to every form. */
const field = (name: string, property: JsonObject) =>
  form(params => {
    const schema = params.requestedSchema as JsonObject;
    const properties = { ...(schema.properties as JsonObject), [name]: property };
    return { ...params, requestedSchema: { ...schema, properties } };
  });

/** Changes the error that URL elicitation is required. */
const urlRequired = (change: (error: JsonObject) => JsonObject) =>
  onError('tools/call', error => (error.code === codes.urlElicitationRequired ? change(error) : error));

const pages = (...elicitations: JsonObject[]) => urlRequired(error => ({ ...error, data: { elicitations } }));

export const elicitationFaults = [
  fault(
    'page-undeclared',
    {
      what: 'elicitation/create in the mode url is sent although the client declares no modes.',
      breaks: ['elicitation.undeclared-mode-not-sent', 'elicitation.empty-capability-is-form'],
      shows: ['elicitation.empty-capability-is-form#page-sent', 'elicitation.undeclared-mode-not-sent#page'],
      where: hasHandshake,
    },
    onRequest('tools/call', (ask, { session }) => {
      const { elicitation } = session.clientCapabilities;
      if (paramsOf(ask).name === 'test_elicitation_url' && isObject(elicitation))
        session.clientCapabilities = { ...session.clientCapabilities, elicitation: { form: {}, url: {} } };
      return ask;
    }),
  ),

  fault(
    'form-undeclared',
    {
      what: 'elicitation/create in the mode form is sent although the client declares the mode url alone.',
      breaks: ['elicitation.undeclared-mode-not-sent'],
      shows: ['elicitation.undeclared-mode-not-sent#form'],
      where: isStateless,
    },
    onRequest('tools/call', ask => {
      const declared = metaOf(ask)[key('clientCapabilities')];
      if (!isObject(declared) || !declares(declared, 'elicitation.url')) return ask;
      return withMeta(ask, {
        [key('clientCapabilities')]: { ...declared, elicitation: { form: {}, url: {} } },
      });
    }),
  ),

  fault(
    'form-nested',
    {
      what: 'elicitation/create in the mode form has a schema with an object as a field.',
      breaks: ['elicitation.schema-flat-primitive', 'base.schema-valid'],
      shows: ['base.schema-valid#form-malformed', 'elicitation.schema-flat-primitive#structure'],
      ...here,
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
      shows: ['elicitation.form-parameters#no-schema'],
    },
    onForm(params => without(params, 'requestedSchema')),
  ),

  fault(
    'form-without-message',
    {
      what: 'elicitation/create in the mode form has no message.',
      breaks: ['elicitation.common-parameters'],
      shows: ['elicitation.common-parameters#no-message'],
    },
    onForm(params => without(params, 'message')),
  ),

  fault(
    'page-without-url',
    {
      what: 'elicitation/create in the mode url has no url.',
      breaks: ['elicitation.url-parameters'],
      shows: ['elicitation.url-parameters#no-url'],
    },
    onPage(params => without(params, 'url')),
  ),

  fault(
    'page-url-invalid',
    {
      what: 'elicitation/create in the mode url has an invalid URL.',
      breaks: ['elicitation.url-valid'],
      shows: ['elicitation.url-valid#invalid'],
    },
    onPage(params => ({ ...params, url: 'somewhere nice' })),
  ),

  fault(
    'page-url-with-password',
    {
      what: 'elicitation/create in the mode url has a password in its URL.',
      breaks: ['elicitation.url-no-user-secrets'],
      shows: ['elicitation.url-no-user-secrets#password'],
    },
    onPage(params => ({ ...params, url: 'https://ada:secret@example.com/elicitation' })),
  ),

  fault(
    'page-id-reused',
    {
      what: 'elicitation/create in the mode url has the same elicitationId each time.',
      breaks: ['elicitation.id-unique'],
      shows: ['elicitation.id-unique#reused'],
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
      shows: ['elicitation.complete-has-id#unknown'],
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
      shows: ['jsonrpc.request-answered-once#no-response', 'elicitation.actions-handled#no-response'],
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
      shows: ['elicitation.content-validated-by-server#used'],
      where: hasHandshake,
    },
    ...onWrongForm(/filled in wrongly|malformed/, content => `User response: accept, ${content}`),
  ),

  fault(
    'form-content-incomplete-used',
    {
      what: 'tools/call uses elicitation content that lacks a required member.',
      breaks: ['elicitation.content-validated-by-server'],
      shows: ['elicitation.content-validated-by-server#incomplete-used'],
      where: hasHandshake,
    },
    ...onWrongForm(/filled in wrongly.*required/, content => `User response: accept, ${content}`),
  ),

  fault(
    'form-asks-for-password',
    {
      what: 'elicitation/create in the mode form requests a password.',
      breaks: ['elicitation.no-sensitive-information'],
      shows: ['elicitation.no-sensitive-information#password'],
    },
    field('password', { type: 'string' }),
  ),

  fault(
    'form-with-link',
    {
      what: 'elicitation/create in the mode form has a link in its message.',
      breaks: ['elicitation.no-clickable-urls-in-forms'],
      shows: ['elicitation.no-clickable-urls-in-forms#link'],
    },
    form(params => ({ ...params, message: 'Please open https://example.com/ first.' })),
  ),

  fault(
    'page-url-insecure',
    {
      what: 'elicitation/create in the mode url has an http URL.',
      breaks: ['elicitation.url-https'],
      shows: ['elicitation.url-https#http'],
    },
    page(params => ({ ...params, url: String(params.url).replace('https:', 'http:') })),
  ),

  fault(
    'page-required-without-list',
    {
      what: 'The error -32042 has no list of elicitations.',
      breaks: ['elicitation.url-required-error-list'],
      shows: ['elicitation.url-required-error-list#none'],
    },
    urlRequired(error => without(error, 'data')),
  ),

  fault(
    'page-required-for-form',
    {
      what: 'The error -32042 lists an elicitation in the mode form.',
      breaks: ['elicitation.url-required-error-only-then'],
      shows: ['elicitation.url-required-error-only-then#form'],
    },
    pages({ mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } }),
  ),

  fault(
    'page-required-without-id',
    {
      what: 'The error -32042 lists an elicitation without an elicitationId.',
      breaks: ['elicitation.url-required-error-elements'],
      shows: ['elicitation.url-required-error-elements#no-id'],
    },
    pages({ mode: 'url', message: 'Please open.', url: 'https://example.com/' }),
  ),

  fault(
    'page-required-other-code',
    {
      what: 'The error that URL elicitation is required has the code -32000.',
      breaks: ['elicitation.url-required-error-code'],
      shows: ['elicitation.url-required-error-code#other-code'],
    },
    urlRequired(error => ({ ...error, code: -32_000 })),
  ),
];
