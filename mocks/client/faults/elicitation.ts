/** client/elicitation. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { refusal, result } from '../../fault.js';
import { featuresOf } from '../../server/features.js';
import { clientFault, onAnswer, onHabits, onIncoming, onReply } from '../fault.js';

const method = 'elicitation/create';

const paramsOf = (ask: Json): JsonObject => (isObject(ask) && isObject(ask.params) ? ask.params : {});
const isPage = (ask: Json): boolean => paramsOf(ask).mode === 'url';
const codeOf = (reply: JsonObject): Json | undefined =>
  isObject(reply.error) ? reply.error.code : undefined;
const messageOf = (reply: JsonObject): string => (isObject(reply.error) ? String(reply.error.message) : '');

/** The user says another thing than was asked for. */
const mistaking = (said: string, sent: string) =>
  onAnswer(method, answer => (answer.action === said ? { ...answer, action: sent } : answer));

/** Opens the page, when it is one of the server's own: what else is there is nobody's business here. */
const open = (ask: Json): Promise<unknown> => fetch(String(paramsOf(ask).url)).catch(() => {});
const isOurs = (ask: Json): boolean => String(paramsOf(ask).url).startsWith('http://127.0.0.1:');

const overHttp = ['streamable-http'] as const;

export const elicitationFaults = [
  clientFault(
    'client-elicits-undeclared',
    {
      what: 'The client accepts a form although it has declared no elicitation.',
      breaks: ['elicitation.capability-declared'],
    },
    onReply(method, (reply, ask) =>
      codeOf(reply) === -32601 ? result(ask, { action: 'accept', content: { username: 'ada' } }) : reply,
    ),
  ),

  clientFault(
    'client-form-misfit',
    { what: 'A number in the form is too small.', breaks: ['elicitation.accept-content-matches'] },
    onAnswer(method, answer => {
      const content = isObject(answer.content) ? answer.content : {};
      return 'share' in content ? { ...answer, content: { ...content, share: -1 } } : answer;
    }),
  ),

  clientFault(
    'client-refusal-with-content',
    {
      what: 'The client sends what the user has entered before declining.',
      breaks: ['elicitation.refusal-without-content'],
    },
    onAnswer(method, answer =>
      answer.action === 'decline' ? { ...answer, content: { username: 'ada' } } : answer,
    ),
  ),

  clientFault(
    'client-page-with-content',
    { what: 'The client accepts a page with content.', breaks: ['elicitation.url-accept-without-content'] },
    onAnswer(method, (answer, ask) => (isPage(ask) ? { ...answer, content: { opened: true } } : answer)),
  ),

  clientFault(
    'client-mode-refused-oddly',
    {
      what: 'A mode that was not declared is refused as if the client had failed.',
      breaks: ['elicitation.undeclared-mode-error'],
    },
    onReply(method, (reply, ask) =>
      messageOf(reply).includes('declared the mode') ? refusal(ask, -32603, 'Internal error') : reply,
    ),
  ),

  clientFault(
    'client-mode-undeclared',
    {
      what: 'The client opens pages although it has declared forms only.',
      breaks: ['elicitation.undeclared-mode-error'],
    },
    onReply(method, (reply, ask) =>
      messageOf(reply).includes('declared the mode') ? result(ask, { action: 'accept' }) : reply,
    ),
  ),

  clientFault(
    'client-mode-insisted-on',
    {
      what: 'The client refuses requests that name no mode.',
      breaks: [
        'elicitation.omitted-mode-is-form',
        'elicitation.action-three-way',
        'elicitation.ui-decline-and-cancel',
      ],
      where: revision => featuresOf(revision).urlElicitation,
    },
    onReply(method, (reply, ask) =>
      paramsOf(ask).mode === undefined && 'result' in reply ? refusal(ask, -32602, 'Which mode?') : reply,
    ),
  ),

  clientFault(
    'client-empty-capability-is-nothing',
    {
      what: 'A client that declares elicitation without saying how refuses forms.',
      breaks: ['elicitation.empty-capability-is-form', 'elicitation.one-mode-at-least'],
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
      what: 'The client declares elicitation and answers nothing but errors.',
      breaks: [
        'elicitation.one-mode-at-least',
        'elicitation.omitted-mode-is-form',
        'elicitation.empty-capability-is-form',
        'elicitation.action-three-way',
        'elicitation.ui-decline-and-cancel',
      ],
    },
    onReply(method, (reply, ask) => ('result' in reply ? refusal(ask, -32602, 'Not now.') : reply)),
  ),

  clientFault(
    'client-decline-is-cancel',
    {
      what: 'The client says that a form was dismissed when it was declined.',
      breaks: ['elicitation.action-three-way', 'elicitation.ui-decline-and-cancel'],
    },
    mistaking('decline', 'cancel'),
  ),

  clientFault(
    'client-cancel-is-decline',
    {
      what: 'The client says that a form was declined when it was dismissed.',
      breaks: ['elicitation.action-three-way', 'elicitation.ui-decline-and-cancel'],
    },
    mistaking('cancel', 'decline'),
  ),

  clientFault(
    'client-form-unchecked',
    {
      what: 'The client sends whatever the user has entered.',
      breaks: ['elicitation.content-validated-by-client', 'elicitation.accept-content-matches'],
    },
    onHabits(habits => {
      habits.checksForms = false;
    }),
  ),

  clientFault(
    'client-defaults-of-text-only',
    {
      what: 'The client fills in the defaults of text fields only.',
      breaks: ['elicitation.defaults-prefilled'],
    },
    onAnswer(method, answer => {
      const content = isObject(answer.content) ? answer.content : {};
      if (content.name !== 'John Doe') return answer;
      return { ...answer, content: { ...content, age: 1, score: 1, verified: false } };
    }),
  ),

  clientFault(
    'client-page-ids-parsed',
    {
      what: 'The client opens a page only when its id is made of letters and digits.',
      breaks: ['elicitation.id-opaque'],
    },
    onReply(method, (reply, ask) =>
      isPage(ask) && 'result' in reply && !/^[\w-]{1,64}$/.test(String(paramsOf(ask).elicitationId))
        ? refusal(ask, -32602, 'This is no id.')
        : reply,
    ),
  ),

  clientFault(
    'client-unknown-page-fatal',
    {
      what: 'The client dies when it hears of a page that it does not know.',
      breaks: ['elicitation.complete-unknown-ignored'],
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
      what: 'The client looks at a page before the user has said a word.',
      breaks: ['elicitation.url-not-prefetched'],
      over: overHttp,
    },
    onIncoming((message, context) => {
      const looked = context.keep(() => new WeakSet<object>());
      if (!isObject(message) || !isPage(message) || !isOurs(message) || looked.has(message)) return message;
      looked.add(message);
      // heard again when it has been looked at
      void open(message).then(() => context.session.receive(message));
      return undefined;
    }),
  ),

  clientFault(
    'client-page-opened-when-declined',
    {
      what: 'The client opens a page although the user has declined.',
      breaks: ['elicitation.url-not-opened-without-consent'],
      over: overHttp,
    },
    onReply(method, (reply, ask, context) => {
      if (isPage(ask) && isOurs(ask)) context.after(10, () => void open(ask));
      return reply;
    }),
  ),
];
