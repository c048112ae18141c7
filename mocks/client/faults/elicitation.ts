/** client/elicitation. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { refusal, result } from '../../fault.js';
import { hasHandshake } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { type ClientDeviation, clientFault, onAnswer, onBehaviour, onIncoming, onReply } from '../fault.js';

const method = 'elicitation/create';

const paramsOf = (ask: Json): JsonObject => (isObject(ask) && isObject(ask.params) ? ask.params : {});
const isPage = (ask: Json): boolean => paramsOf(ask).mode === 'url';
const codeOf = (reply: JsonObject): Json | undefined =>
  isObject(reply.error) ? reply.error.code : undefined;
const messageOf = (reply: JsonObject): string => (isObject(reply.error) ? String(reply.error.message) : '');

/** Replaces one action of the user by another. */
const mistaking = (said: string, sent: string) =>
  onAnswer(method, answer => (answer.action === said ? { ...answer, action: sent } : answer));

/** Changes the content for forms with a field. @param value only where the field has this value */
const changing = (field: string, change: (content: JsonObject) => JsonObject, value?: Json) =>
  onAnswer(method, answer => {
    const content = isObject(answer.content) ? answer.content : {};
    const fits = field in content && (value === undefined || content[field] === value);
    return fits ? { ...answer, content: { ...content, ...change(content) } } : answer;
  });

/** Changes the content for a form with titled choices and choices of several values. */
const choosing = (
  id: string,
  what: string,
  { form, change }: { readonly form: string; readonly change: (content: JsonObject) => JsonObject },
) =>
  clientFault(
    id,
    {
      what,
      breaks: ['elicitation.accept-content-matches'],
      shows: [`elicitation.accept-content-matches#${form}`],
      where: revision => featuresOf(revision).urlElicitation,
    },
    changing('rooms', change),
  );

/** Opens the page, if the harness serves it: other pages are outside the test. */
const open = (ask: Json): Promise<unknown> => fetch(String(paramsOf(ask).url)).catch(() => {});
const isOurs = (ask: Json): boolean => String(paramsOf(ask).url).startsWith('http://127.0.0.1:');

const overHttp = ['streamable-http'] as const;

export const elicitationFaults = [
  clientFault(
    'client-elicits-undeclared',
    {
      what: 'The client responds to elicitation/create with accept although it has not declared elicitation.',
      breaks: ['elicitation.capability-declared'],
      shows: ['elicitation.capability-declared#accepted'],
    },
    onReply(method, (reply, ask) =>
      codeOf(reply) === -32601 ? result(ask, { action: 'accept', content: { username: 'ada' } }) : reply,
    ),
  ),

  clientFault(
    'client-form-misfit',
    {
      what: 'The client responds to elicitation/create with a number below the minimum.',
      breaks: ['elicitation.accept-content-matches'],
      shows: ['elicitation.accept-content-matches#value'],
    },
    changing('share', () => ({ share: -1 })),
  ),

  clientFault(
    'client-choice-by-enum-name',
    {
      what: 'The client responds to elicitation/create with the display name of a choice from enumNames.',
      breaks: ['elicitation.accept-content-matches'],
      shows: ['elicitation.accept-content-matches#title'],
    },
    changing('size', () => ({ size: 'Small' })),
  ),

  choosing(
    'client-choice-by-title',
    'The client responds to elicitation/create with the title of a choice.',
    {
      form: 'title',
      change: () => ({ plan: 'Small' }),
    },
  ),
  choosing(
    'client-choices-as-text',
    'The client responds to elicitation/create with one text for several choices.',
    {
      form: 'no-list',
      change: ({ days }) => ({ days: [days].flat().join(',') }),
    },
  ),
  choosing(
    'client-choices-by-title',
    'The client responds to elicitation/create with the titles of several choices.',
    {
      form: 'titles',
      change: () => ({ rooms: ['First floor'] }),
    },
  ),
  choosing(
    'client-choices-outside-list',
    'The client responds to elicitation/create with a choice outside the list.',
    {
      form: 'outside',
      change: () => ({ days: ['sun'] }),
    },
  ),
  choosing(
    'client-choices-too-many',
    'The client responds to elicitation/create with more choices than allowed.',
    {
      form: 'number',
      change: () => ({ days: ['mon', 'tue', 'wed'] }),
    },
  ),
  choosing(
    'client-choices-too-few',
    'The client responds to elicitation/create with no choice where one is required.',
    {
      form: 'number',
      change: () => ({ days: [] }),
    },
  ),

  clientFault(
    'client-refusal-with-content',
    {
      what: 'The client responds to elicitation/create with decline and content.',
      breaks: ['elicitation.refusal-without-content'],
      shows: ['elicitation.refusal-without-content#content'],
    },
    onAnswer(method, answer =>
      answer.action === 'decline' ? { ...answer, content: { username: 'ada' } } : answer,
    ),
  ),

  clientFault(
    'client-page-with-content',
    {
      what: 'The client responds to elicitation/create in the mode url with content.',
      breaks: ['elicitation.url-accept-without-content'],
      shows: ['elicitation.url-accept-without-content#content'],
    },
    onAnswer(method, (answer, ask) => (isPage(ask) ? { ...answer, content: { opened: true } } : answer)),
  ),

  clientFault(
    'client-mode-refused-oddly',
    {
      what: 'The client responds to elicitation/create in an undeclared mode with an internal error.',
      breaks: ['elicitation.undeclared-mode-error'],
      shows: ['elicitation.undeclared-mode-error#other-code'],
    },
    onReply(method, (reply, ask) =>
      messageOf(reply).includes('declared the mode') ? refusal(ask, -32603, 'Internal error') : reply,
    ),
  ),

  clientFault(
    'client-mode-undeclared',
    {
      what: 'The client accepts elicitation/create in the mode url although it has declared only the mode form.',
      breaks: ['elicitation.undeclared-mode-error'],
      shows: ['elicitation.undeclared-mode-error#result'],
    },
    onReply(method, (reply, ask) =>
      messageOf(reply).includes('declared the mode') && isPage(ask)
        ? result(ask, { action: 'accept' })
        : reply,
    ),
  ),

  clientFault(
    'client-form-undeclared',
    {
      what: 'The client accepts elicitation/create in the mode form although it has declared only the mode url.',
      breaks: ['elicitation.undeclared-mode-error'],
      shows: ['elicitation.undeclared-mode-error#result'],
    },
    onReply(method, (reply, ask) =>
      messageOf(reply).includes('declared the mode') && !isPage(ask)
        ? result(ask, { action: 'accept', content: { username: 'ada' } })
        : reply,
    ),
  ),

  clientFault(
    'client-mode-insisted-on',
    {
      what: 'The client rejects elicitation/create without a mode.',
      breaks: [
        'elicitation.omitted-mode-is-form',
        'elicitation.action-three-way',
        'elicitation.ui-decline-and-cancel',
      ],
      shows: [
        'elicitation.action-three-way#error',
        'elicitation.omitted-mode-is-form#refused',
        'elicitation.ui-decline-and-cancel#error',
      ],
      where: revision => hasHandshake(revision) && featuresOf(revision).urlElicitation,
    },
    onReply(method, (reply, ask) =>
      paramsOf(ask).mode === undefined && 'result' in reply ? refusal(ask, -32602, 'Which mode?') : reply,
    ),
  ),

  clientFault(
    'client-empty-capability-is-nothing',
    {
      what: 'The client rejects elicitation/create in the mode form when it has declared elicitation without modes.',
      breaks: ['elicitation.empty-capability-is-form', 'elicitation.one-mode-at-least'],
      shows: [
        'elicitation.empty-capability-is-form#form-refused',
        'elicitation.one-mode-at-least#all-refused',
      ],
      where: hasHandshake,
    },
    onReply(method, (reply, ask, context) =>
      Object.keys(context.session.declared.elicitation ?? { none: 1 }).length === 0 &&
      paramsOf(ask).mode === 'form'
        ? refusal(ask, -32602, 'Which mode?')
        : reply,
    ),
  ),

  clientFault(
    'client-elicits-nothing',
    {
      what: 'The client declares elicitation and responds to every elicitation/create with an error.',
      breaks: [
        'elicitation.one-mode-at-least',
        'elicitation.declared-url-supported',
        'elicitation.omitted-mode-is-form',
        'elicitation.empty-capability-is-form',
        'elicitation.action-three-way',
        'elicitation.ui-decline-and-cancel',
      ],
      shows: [
        'elicitation.action-three-way#error',
        'elicitation.empty-capability-is-form#form-refused',
        'elicitation.omitted-mode-is-form#refused',
        'elicitation.one-mode-at-least#all-refused',
        'elicitation.ui-decline-and-cancel#error',
      ],
      where: hasHandshake,
    },
    onReply(method, (reply, ask) => ('result' in reply ? refusal(ask, -32602, 'Not now.') : reply)),
  ),

  clientFault(
    'client-decline-is-cancel',
    {
      what: 'The client responds to elicitation/create with cancel when the user declines.',
      breaks: ['elicitation.action-three-way', 'elicitation.ui-decline-and-cancel'],
      shows: ['elicitation.action-three-way#swapped', 'elicitation.ui-decline-and-cancel#swapped'],
    },
    mistaking('decline', 'cancel'),
  ),

  clientFault(
    'client-cancel-is-decline',
    {
      what: 'The client responds to elicitation/create with decline when the user cancels.',
      breaks: ['elicitation.action-three-way', 'elicitation.ui-decline-and-cancel'],
      shows: ['elicitation.action-three-way#swapped', 'elicitation.ui-decline-and-cancel#swapped'],
    },
    mistaking('cancel', 'decline'),
  ),

  clientFault(
    'client-form-unchecked',
    {
      what: 'The client responds to elicitation/create with content that does not match the schema.',
      breaks: ['elicitation.content-validated-by-client', 'elicitation.accept-content-matches'],
      shows: ['elicitation.accept-content-matches#value', 'elicitation.content-validated-by-client#sent'],
    },
    onBehaviour(habits => {
      habits.checksForms = false;
    }),
  ),

  clientFault(
    'client-defaults-of-text-only',
    {
      what: 'The client responds to elicitation/create with the defaults of string fields only.',
      breaks: ['elicitation.defaults-prefilled'],
      shows: ['elicitation.defaults-prefilled#some-only'],
    },
    changing('name', () => ({ age: 1, score: 1, verified: false, days: [] }), 'John Doe'),
  ),

  clientFault(
    'client-defaults-of-single-values',
    {
      what: 'The client responds to elicitation/create with the defaults of all fields but those with several choices.',
      breaks: ['elicitation.defaults-prefilled'],
      shows: ['elicitation.defaults-prefilled#no-lists'],
    },
    changing('name', () => ({ days: [] }), 'John Doe'),
  ),

  clientFault(
    'client-page-ids-parsed',
    {
      what: 'The client rejects elicitation/create when elicitationId has other characters than letters, digits, hyphens and underscores.',
      breaks: ['elicitation.id-opaque'],
      shows: ['elicitation.id-opaque#refused'],
    },
    onReply(method, (reply, ask) =>
      isPage(ask) && 'result' in reply && !/^[\w-]{1,64}$/.test(String(paramsOf(ask).elicitationId))
        ? refusal(ask, -32602, 'The elicitationId is invalid.')
        : reply,
    ),
  ),

  clientFault(
    'client-unknown-page-fatal',
    {
      what: 'The client exits when it receives notifications/elicitation/complete with an unknown elicitationId.',
      breaks: ['elicitation.complete-unknown-ignored'],
      shows: ['elicitation.complete-unknown-ignored#exits'],
    },
    onIncoming((message, context) => {
      if (isObject(message) && message.method === 'notifications/elicitation/complete')
        if (paramsOf(message).elicitationId === 'never-heard-of') context.exit(1);
      return message;
    }),
  ),

  clientFault(
    'client-page-fetched-early',
    {
      what: 'The client fetches the URL of elicitation/create before the user consents.',
      breaks: ['elicitation.url-not-prefetched'],
      shows: ['elicitation.url-not-prefetched#early'],
      over: overHttp,
    },
    onIncoming((message, context) => {
      const looked = context.keep(() => new WeakSet<object>());
      if (!isObject(message) || !isPage(message) || !isOurs(message) || looked.has(message)) return message;
      looked.add(message);
      // received again after the fetch
      void open(message).then(() => context.session.receive(message));
      return undefined;
    }),
  ),

  clientFault(
    'client-page-opened-when-declined',
    {
      what: 'The client opens the URL of elicitation/create although the user declines.',
      breaks: ['elicitation.url-not-opened-without-consent'],
      shows: ['elicitation.url-not-opened-without-consent#after-decline'],
      over: overHttp,
    },
    onReply(method, (reply, ask, context) => {
      if (isPage(ask) && isOurs(ask)) context.after(10, () => void open(ask));
      return reply;
    }),
  ),
];

/** Faults of the mode url alone. */
export const pageFaults: readonly ClientDeviation[] = [
  clientFault(
    'client-pages-refused',
    {
      what: 'The client declares the mode url and responds to every elicitation/create in that mode with an error.',
      breaks: ['elicitation.declared-url-supported'],
      shows: ['elicitation.declared-url-supported#all-refused'],
      where: revision => hasHandshake(revision) && featuresOf(revision).urlElicitation,
    },
    onReply(method, (reply, ask) =>
      isPage(ask) && 'result' in reply ? refusal(ask, -32602, 'Pages are not supported.') : reply,
    ),
  ),
];
