/**
 * basic/authorization for protected servers: requests with a valid token, and with tokens that are not
 * sufficient.
 */

import { bearerOf, bearerParam } from '../../harness/oauth/challenge.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { Message } from '../../harness/record/message.js';
import { type HttpContext, scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import { bodyOf } from '../rules/derived/conversation.js';
import { challengesOf } from '../rules/server/authorization.js';
import { requestWithToken } from './authorization.js';
import { outcome } from './http.js';
import { begin, idIn } from './task-steps.js';

const letIn = ({ status = 0 }: HttpExchange): boolean => status >= 200 && status < 300;

const noToken = 'no token is available: give --bearer-token, or --login to run the authorization flow';
const raw = { isolation: 'uninitialized' } as const;

/** A request with other credentials within the session of `peer`. */
const intrude = (
  { http }: Pick<HttpContext, 'http'>,
  ask: { body?: JsonObject; method?: string },
  authorization: string | null,
): Promise<HttpExchange> => http.fetch({ ...ask, headers: { Authorization: authorization } });

const taskRows = [
  'tasks.foreign-context-rejected',
  'tasks.list-own-context',
  'tasks.bound-to-authorization',
] as const;

const listTools: JsonObject = { jsonrpc: '2.0', id: 'intrusion', method: 'tools/list' };
const note: JsonObject = {
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: 'nobody' },
};

/**
 * Opens a session with a token: the headers of its requests. Undefined when the server refuses the session.
 */
async function enter(
  { http, peer }: Pick<HttpContext, 'http' | 'peer'>,
  token: string,
): Promise<Record<string, string | null> | undefined> {
  const Authorization = `Bearer ${token}`;
  const clientInfo = { name: 'mcp-conform', version: peer.version };
  const params = { protocolVersion: peer.revision.id, capabilities: {}, clientInfo };
  const opened = await http.fetch({
    body: { jsonrpc: '2.0', id: 'enters', method: 'initialize', params },
    headers: { 'Mcp-Session-Id': null, 'MCP-Protocol-Version': null, Authorization },
  });
  const headers = { Authorization, 'Mcp-Session-Id': opened.header('mcp-session-id') ?? null };
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
  return letIn(opened) && letIn(await http.fetch({ body, headers })) ? headers : undefined;
}

const answerIn = ({ received }: HttpExchange, id: string): Message | undefined =>
  received.find(m => m.id === id && m.method === undefined);

export const scenarios = [
  scenario.http('server/authorized/token-in-header', {
    title: 'a valid token in the Authorization header is accepted, whatever the letter case of its scheme',
    verifies: ['auth.header-token-accepted', 'auth.scheme-case-insensitive'],
    ...raw,
    withoutAccess: true,
    async run(at) {
      const { expect, access } = at;
      const { token } = access;
      if (token === undefined)
        return expect.notObserved(['auth.header-token-accepted', 'auth.scheme-case-insensitive'], noToken);
      const e = await requestWithToken(at, `Bearer ${token}`);
      expect.that('auth.header-token-accepted', letIn(e), 'access', [e], outcome(e));
      if (!letIn(e))
        return expect.inconclusive('auth.scheme-case-insensitive', 'the server does not accept the token');
      for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
        const other = await requestWithToken(at, `${scheme} ${token}`);
        const actual = `${outcome(other)} with ${scheme}`;
        expect.that('auth.scheme-case-insensitive', letIn(other), 'access', [e, other], actual);
      }
    },
  }),

  scenario.http('server/authorized/token-in-query', {
    title: 'a valid token in the URL is not accepted',
    verifies: ['auth.query-token-ignored'],
    ...raw,
    async run(at) {
      const { expect, access } = at;
      if (access.token === undefined) return expect.notObserved('auth.query-token-ignored', noToken);
      for (const name of ['access_token', 'token']) {
        const e = await requestWithToken(at, null, `${name}=${access.token}`);
        const actual = `${outcome(e)} for ?${name}=…`;
        expect.that('auth.query-token-ignored', !letIn(e), 'a refusal', [e], actual);
      }
    },
  }),

  scenario.http('server/authorized/expired-token', {
    title: 'a token that has expired is refused with 401',
    verifies: ['auth.401-expired-token'],
    ...raw,
    async run(at) {
      const { expect, access } = at;
      const token = await access.tokenOf('expired');
      if (token === undefined)
        return expect.notObserved(
          'auth.401-expired-token',
          'no expired token is available: give --expired-token',
        );
      const e = await requestWithToken(at, `Bearer ${token}`);
      expect.that('auth.401-expired-token', e.status === 401, 'status 401', [e], outcome(e));
    },
  }),

  scenario.http('server/authorized/token-for-another', {
    title: 'a token that was issued for another server is refused',
    verifies: ['auth.audience-checked'],
    ...raw,
    async run(at) {
      const { expect, access, http } = at;
      const { origin } = new URL(http.url);
      const foreign = ['https://other.example/mcp', `${origin}/another-server`, origin.replace(/\d+$/, '1')];
      const scope = 'mcp:read mcp:write';
      const own = await access.mint({ aud: http.url, scope });
      if (own === undefined)
        return expect.notObserved(
          'auth.audience-checked',
          'no token for another server is available; a server that trusts `mcp-conform mock authorization-server` can be tested with one',
        );
      const control = await requestWithToken(at, `Bearer ${own}`);
      if (!letIn(control))
        return expect.inconclusive(
          'auth.audience-checked',
          'the server refuses a token that was issued for this server',
        );
      for (const aud of foreign) {
        const e = await requestWithToken(at, `Bearer ${await access.mint({ aud, scope })}`);
        const right = e.status === 401 || e.status === 403;
        expect.that('auth.audience-checked', right, `a refusal of a token with aud ${aud}`, [e], outcome(e));
      }
    },
  }),

  scenario.http('server/authorized/audience-in-upper-case', {
    title: 'a token whose audience has scheme and host in upper case is accepted',
    verifies: ['auth.uri-case-tolerance'],
    ...raw,
    async run(at) {
      const { expect, access, http } = at;
      const row = 'auth.uri-case-tolerance';
      const loud = http.url.replace(/^https?:\/\/[^/]+/, place => place.toUpperCase());
      const token = await access.mint({ aud: loud, scope: 'mcp:read mcp:write' });
      if (token === undefined) return expect.notObserved(row, 'no token with such an audience is available');
      const e = await requestWithToken(at, `Bearer ${token}`);
      expect.that(row, letIn(e), `access with a token with aud ${loud}`, [e], outcome(e));
    },
  }),

  scenario.http('server/authorized/token-of-another-issuer', {
    title: 'a token of an issuer that the server does not trust is refused',
    verifies: ['auth.foreign-token-rejected'],
    ...raw,
    async run(at) {
      const { expect, access } = at;
      const row = 'auth.foreign-token-rejected';
      const token = await access.tokenOf('foreign');
      if (token === undefined)
        return expect.notObserved(row, 'no token of another issuer is available: give --foreign-token');
      const e = await requestWithToken(at, `Bearer ${token}`);
      expect.that(row, !letIn(e), 'a refusal', [e], outcome(e));
    },
  }),

  scenario.http('server/authorized/within-a-session', {
    title: 'each request within a session is refused without a valid token',
    verifies: ['auth.every-request-verified', 'auth.session-not-authentication'],
    async run(at) {
      const { expect, access, http } = at;
      const rows = ['auth.every-request-verified', 'auth.session-not-authentication'] as const;
      if (access.token === undefined) return expect.notObserved(rows, noToken);
      if (access.guarded !== 'initialize')
        return expect.notObserved(rows, 'the server accepts initialize without a token');
      const asks = [{ body: listTools }, { body: note }, { method: 'GET' }, { method: 'DELETE' }];
      for (const ask of asks) {
        const what = 'body' in ask ? asText(ask.body?.method) : ask.method;
        for (const authorization of [null, 'Bearer mcp-conform-no-such-token']) {
          const e = await intrude(at, ask, authorization);
          if (e.isStream) http.drop(e, { resume: false });
          const [row, other] =
            authorization === null && http.sessionId !== undefined ? [rows[1], rows[0]] : rows;
          const how = authorization === null ? 'without a token' : 'with a forged token';
          expect.that(row, !letIn(e), `a refusal of ${what} ${how}`, [e], outcome(e));
          if (row === rows[1]) expect.noViolation(other, [e]);
        }
      }
      if (http.sessionId === undefined) expect.notObserved(rows[1], 'the server assigns no session ID');
    },
  }),

  scenario.http('server/authorized/session-of-another', {
    title: 'a request with the token of another user is refused within a session',
    verifies: ['auth.session-bound-to-user'],
    async run(at) {
      const { expect, access, http } = at;
      const row = 'auth.session-bound-to-user';
      if (http.sessionId === undefined) return expect.notObserved(row, 'the server assigns no session ID');
      const token = await access.tokenOf('second');
      if (token === undefined)
        return expect.notObserved(row, 'no token of a second user is available: give --second-bearer-token');
      const e = await intrude(at, { body: listTools }, `Bearer ${token}`);
      expect.that(row, !letIn(e), 'a refusal', [e], outcome(e));
    },
  }),

  scenario.http('server/authorized/too-little-scope', {
    title: 'a tools/call that requires more scope is refused with 403 and the required scope',
    verifies: ['auth.403-insufficient-scope', 'auth.403-challenge', 'auth.403-scope-needed'],
    fixtures: ['role privileged'],
    async run(at) {
      const { expect, access, tool, http } = at;
      const token = await access.tokenOf('weak');
      const rows = ['auth.403-insufficient-scope', 'auth.403-challenge', 'auth.403-scope-needed'] as const;
      if (token === undefined)
        return expect.notObserved(rows, 'no token with less scope is available: give --weak-bearer-token');
      const headers = (await enter(at, token)) ?? { Authorization: `Bearer ${token}` };
      const body = { jsonrpc: '2.0', id: 'privileged', method: 'tools/call', params: tool('privileged') };
      const e = await http.fetch({ body, headers });
      expect.that('auth.403-insufficient-scope', e.status === 403, 'status 403', [e], outcome(e));
      const all = challengesOf(e);
      const [error, scope, metadata] = ['error', 'scope', 'resource_metadata'].map(name =>
        bearerParam(all, name),
      );
      const lacks =
        (bearerOf(all).length === 0 && 'a Bearer challenge') ||
        (error !== 'insufficient_scope' && 'error="insufficient_scope"') ||
        (scope === undefined && 'the required scopes') ||
        (metadata === undefined && 'resource_metadata');
      const told = e.header('www-authenticate') ?? 'no challenge';
      if (e.status === 403) expect.that('auth.403-challenge', !lacks, lacks || 'a challenge', [e], told);
      else expect.inconclusive('auth.403-challenge', `expected status 403 for the call, got ${outcome(e)}`);
      const enough = scope === undefined ? undefined : await access.mint({ aud: http.url, scope });
      if (enough === undefined)
        return expect.notObserved('auth.403-scope-needed', 'no token with the required scope is available');
      const again = await http.fetch({ body, headers: { ...headers, Authorization: `Bearer ${enough}` } });
      expect.that(
        'auth.403-scope-needed',
        letIn(again),
        `access with scope ${scope}`,
        [e, again],
        outcome(again),
      );
    },
  }),

  scenario.http('server/authorized/tasks-of-another', {
    title: 'requests of another user neither get nor cancel nor list a task',
    verifies: taskRows,
    fixtures: ['tool test_task'],
    async run(at) {
      const { expect, access, peer, http } = at;
      const token = await access.tokenOf('second');
      if (token === undefined)
        return expect.notObserved(
          taskRows,
          'no token of a second user is available: give --second-bearer-token',
        );
      const made = await begin(peer, { name: 'test_task', arguments: {} });
      const taskId = idIn(made);
      if (taskId === undefined) return expect.notObserved(taskRows, 'no task was created');
      const headers = await enter(at, token);
      if (!headers) {
        for (const row of taskRows) expect.inconclusive(row, 'the server refuses the second user');
        return;
      }
      const ask = async (method: string, params: JsonObject) => {
        const e = await http.fetch({ body: { jsonrpc: '2.0', id: method, method, params }, headers });
        return { e, method, reply: answerIn(e, method) };
      };
      let leak: { readonly evidence: readonly HttpExchange[]; readonly actual: string } | undefined;
      // tasks/cancel is last: after a cancellation the others show nothing
      for (const operation of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
        const { e, reply } = await ask(operation, { taskId });
        const given = reply?.kind === 'result';
        const actual = `${operation}: ${given ? 'a result' : outcome(e)}`;
        expect.that('tasks.foreign-context-rejected', !given, 'a refusal', [made, e], actual);
        if (given) leak ??= { evidence: [e], actual };
      }
      const listed = await ask('tasks/list', {});
      const tasks = listed.reply && bodyOf(listed.reply).result;
      const all = isObject(tasks) && Array.isArray(tasks.tasks) ? tasks.tasks : undefined;
      const seen = all?.some(task => isObject(task) && task.taskId === taskId) ?? false;
      if (!all) expect.notObserved('tasks.list-own-context', 'tasks/list of the second user returns no list');
      else
        expect.that('tasks.list-own-context', !seen, 'a list without the tasks of the first user', [
          made,
          listed.e,
        ]);
      if (seen) leak ??= { evidence: [listed.e], actual: 'tasks/list of another user shows the task' };
      const evidence = [made, ...(leak?.evidence ?? [])];
      expect.that(
        'tasks.bound-to-authorization',
        !leak,
        'a task that only its creator can use',
        evidence,
        leak?.actual,
      );
    },
  }),
];
