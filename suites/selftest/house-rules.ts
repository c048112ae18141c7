/** The rooms, the pages and the exceptions that the house test holds the project to. Exceptions may only become fewer. */

/**
 * The rooms of `harness/` from the bottom, each with the rooms that it imports, for types too. A new arrow is a decision: it
 * points downwards, and it is added here. Files directly in `harness/` serve all rooms; `entry` and `bench` use
 * all rooms, and no room uses them.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  framing: [],
  time: [],
  record: ['time'],
  subject: ['time'],
  judge: ['time', 'record'],
  transports: ['framing', 'time', 'record', 'subject'],
  oauth: ['record', 'transports'],
  generate: ['framing'],
  peer: ['time', 'record', 'transports', 'generate'],
  'protected-server': ['record', 'transports', 'oauth'],
  scenario: ['record', 'judge', 'transports', 'oauth', 'generate', 'peer', 'protected-server'],
  report: ['record', 'judge'],
  run: ['time', 'record', 'judge', 'subject', 'transports', 'oauth', 'scenario', 'report'],
  'run/server': [
    'time',
    'record',
    'subject',
    'judge',
    'transports',
    'oauth',
    'generate',
    'peer',
    'scenario',
    'report',
    'run',
  ],
  'run/client': [
    'time',
    'record',
    'subject',
    'judge',
    'transports',
    'peer',
    'protected-server',
    'scenario',
    'report',
    'run',
  ],
  'run/authorization-server': ['time', 'record', 'judge', 'transports', 'oauth', 'scenario', 'report', 'run'],
  'run/proxy': ['framing', 'time', 'record', 'subject', 'judge', 'transports', 'report', 'run'],
  'run/gateway': [
    'record',
    'subject',
    'judge',
    'time',
    'transports',
    'peer',
    'scenario',
    'report',
    'run',
    'run/proxy',
  ],
  'run/network': [
    'time',
    'record',
    'subject',
    'judge',
    'generate',
    'transports',
    'scenario',
    'report',
    'run',
    'run/proxy',
  ],
  'run/matrix': [
    'time',
    'record',
    'subject',
    'judge',
    'transports',
    'scenario',
    'report',
    'run',
    'run/proxy',
  ],
};

/** Rooms that connect all others. */
export const wiringRooms = ['entry', 'bench'];

/** Areas of rows about any message: a scenario of each page may exercise such a row. */
export const generalAreas = ['base', 'jsonrpc'];

/**
 * The areas of the rows that a file of `suites/` judges, where they are not just the area with the name of the file. A row belongs
 * in the file of its area; a new entry is a decision.
 */
export const areasOfPages: Readonly<Record<string, readonly string[]>> = {
  'rules/authorization-server/authorization': ['auth'],
  'rules/both/capabilities': [
    'base',
    'completion',
    'lifecycle',
    'logging',
    'prompts',
    'resources',
    'roots',
    'tools',
  ],
  'rules/both/json-rpc': ['base', 'jsonrpc'],
  'rules/both/meta': ['icons', 'meta', 'resources'],
  'rules/both/schema': ['base'],
  'rules/both/related-task': ['tasks'],
  'rules/both/task-progress': ['progress'],
  'rules/both/task-requests': ['tasks'],
  'rules/both/tasks-http': ['tasks'],
  'rules/both/vocabulary': ['base', 'lifecycle'],
  'rules/client/authorization': ['auth'],
  'rules/client/authorization-tokens': ['auth'],
  'rules/client/http-headers': ['http-headers', 'tools'],
  'rules/client/meta': ['meta', 'prompts', 'versioning'],
  'rules/client/mrtr': ['mrtr', 'tools'],
  'rules/client/sessions': ['streamable-http'],
  'rules/client/streams': ['streamable-http'],
  'rules/client/transport': ['jsonrpc', 'stdio', 'streamable-http', 'transport'],
  'rules/derived/bind-address': ['http-sse', 'streamable-http'],
  'rules/server/authorization': ['auth'],
  'server/ext-tasks-access': ['ext-tasks'],
  'rules/server/discover': ['discover', 'versioning'],
  'rules/server/elicitation-urls': ['elicitation'],
  'rules/server/header-annotations': ['http-headers', 'tools'],
  'rules/server/lifecycle': ['lifecycle', 'ping'],
  'rules/server/mrtr': ['mrtr', 'patterns', 'roots', 'sampling', 'transport'],
  'rules/server/pagination': ['pagination', 'prompts', 'resources', 'tools'],
  'rules/server/result': ['base', 'meta', 'result', 'versioning'],
  'rules/server/sessions': ['streamable-http'],
  'rules/server/stateless-http': ['http-headers', 'meta', 'streamable-http'],
  'rules/server/stdio': ['stdio', 'transport'],
  'rules/server/streams': ['streamable-http'],
  'rules/server/subscriptions': ['cancellation', 'prompts', 'resources', 'subscriptions', 'tools'],
  'rules/server/tools': ['json-schema', 'tools'],

  'client/lifecycle': ['base', 'lifecycle', 'prompts'],
  'client/mrtr': ['mrtr', 'tools'],
  'client/requests': [
    'cancellation',
    'error-codes',
    'json-schema',
    'jsonrpc',
    'logging',
    'resources',
    'stdio',
    'streamable-http',
    'timeouts',
    'tools',
    'transport',
  ],
  'client/roots': ['lifecycle', 'roots'],
  'client/http-headers': ['http-headers', 'tools'],
  'client/versioning': ['lifecycle', 'stdio', 'streamable-http', 'versioning'],
  'client/subscriptions': ['stdio', 'subscriptions'],
  'server/authorization': ['auth'],
  'server/authorized': ['auth', 'caching', 'tasks'],
  'server/base': ['completion', 'meta', 'prompts', 'resources', 'tools'],
  'server/batching': ['batch'],
  'server/dialects': ['json-schema', 'tools'],
  'server/generated/features': ['completion', 'logging', 'pagination', 'progress', 'resources', 'transport'],
  'server/generated/http': ['streamable-http'],
  'server/generated/params': ['meta'],
  'server/generated/sequences': ['ext-tasks', 'mrtr', 'prompts', 'resources', 'tools'],
  'server/ext-tasks': ['ext-tasks', 'http-headers'],
  'server/http-headers': ['http-headers', 'streamable-http'],
  'server/lifecycle': ['elicitation', 'lifecycle', 'ping', 'roots'],
  'server/meta': ['elicitation', 'error-codes', 'meta', 'mrtr'],
  'server/mrtr': ['elicitation', 'mrtr'],
  'server/resource-metadata': ['auth'],
  'server/stateless': ['prompts', 'resources', 'stateless', 'tools'],
  'server/stdio': ['stdio', 'transport'],
  'server/streamable-http': ['resources', 'streamable-http', 'transport'],
  'server/subscriptions': ['cancellation', 'prompts', 'resources', 'subscriptions', 'tools'],
  'server/task-questions': ['tasks'],
  'server/task-requests': ['cancellation', 'tasks'],
  'server/task-sessions': ['tasks'],
  'server/tasks': ['progress', 'tasks'],
  'server/versioning': ['discover', 'http-headers', 'versioning'],

  'client/authorization/answers': ['auth'],
  'client/authorization/discovery': ['auth'],
  'client/authorization/flow': ['auth'],
  'client/authorization/issuer': ['auth'],
  'client/authorization/legacy': ['auth'],
  'client/authorization/metadata': ['auth'],
  'client/authorization/registration': ['auth'],
  'client/authorization/scopes': ['auth'],
  'client/authorization/tokens': ['auth'],
  'client/base': ['meta'],
  'client/batching': ['batch'],
  'client/pagination': ['pagination', 'prompts'],
  'client/stdio': ['stdio', 'transport'],
  'client/streams': ['streamable-http'],
  'client/task-requests': ['cancellation', 'tasks'],
  'client/tasks': ['progress', 'tasks'],
  'client/timeouts': ['cancellation', 'timeouts', 'tools'],
  'client/tools': ['json-schema', 'tools'],

  'authorization-server/authorize': ['auth'],
  'authorization-server/client-documents': ['auth'],
  'authorization-server/metadata': ['auth'],
  'authorization-server/proxy': ['auth'],
  'authorization-server/refresh': ['auth'],
  'authorization-server/registration': ['auth'],
  'authorization-server/token': ['auth'],
};

/** The most lines in a file that is not data. */
export const mostLines = 400;

/** Files that are data: one entry after another, without logic to follow. */
export const data: readonly RegExp[] = [
  /^spec\/\d{4}-\d\d-\d\d\/schema\.ts$/,
  /^spec\/extensions\/[^/]+\/[^/]+\/schema\.ts$/,
  /\.generated\.ts$/,
  /^mocks\/[^/]+\/faults\//,
  /\.examples\.ts$/,
];

/** Longer files, each with the reason. */
export const longFiles: Readonly<Record<string, string>> = {
  'spec/schema.test.ts': 'mostly a table of exceptions and methods',
  'harness/transports/streamable-http/listen.test.ts': 'one test for each behaviour of the endpoint',
  'reports/console.test.ts': 'mostly expected texts',
};

/** Circles of imports; files of a circle have one of the prefixes. */
export const knownCircles: readonly { readonly within: readonly string[]; readonly because: string }[] = [];

/**
 * Where the messages of the handshake may be named: the eras, the pages about lifecycle and versions, and the mocks, which play
 * both eras. All other code asks `harness/record/handshake.ts`.
 */
export const namesHandshake: readonly RegExp[] = [
  /^harness\/record\/handshake\.ts$/,
  /^harness\/peer\/eras\//,
  /^suites\/(server|client|rules\/\w+)\/(lifecycle|versioning)\.ts$/,
  /^suites\/client\/eras\.ts$/,
  /^mocks\//,
];

/** Files in which `initialize` names something else, with the reason. */
export const otherInitialize: Readonly<Record<string, string>> = {
  'harness/scenario/client.ts': 'a scenario of the official suite has this name',
  'harness/run/client/meeting.ts': 'a scenario of the official suite has this name',
};
