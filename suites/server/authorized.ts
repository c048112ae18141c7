/**
 * basic/authorization for protected servers: requests with a valid token, and with tokens that are not
 * sufficient.
 */

import { bearerOf, bearerParam } from '../../harness/oauth/challenge.js';
import { NotObserved } from '../../harness/peer/deferred.js';
import { declares } from '../../harness/record/conversation.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { Message } from '../../harness/record/message.js';
import { type HttpContext, scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import { bodyOf } from '../rules/derived/conversation.js';
import { succeeded } from '../rules/derived/http.js';
import { challengesOf } from '../rules/server/authorization.js';
import { asking, enter, isAdmitted, isModern, requestWithToken } from './authorization.js';
import { begin, idIn } from './task-steps.js';

const refusedToken = (e: HttpExchange) => {
  return { ok: !isAdmitted(e), expected: 'the token to be refused', evidence: [e], actual: e.outcome };
};
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

const listTools = (at: Pick<HttpContext, 'peer'>): JsonObject => asking(at, 'intrusion', 'tools/list');
const note: JsonObject = {
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: 'nobody' },
};

/** The lists, by capability. */
const listMethods = { tools: 'tools/list', prompts: 'prompts/list', resources: 'resources/list' };

/** A result without the members that may differ between responses. */
const contentOf = ({ _meta, ttlMs, nextCursor, ...content }: JsonObject): string => JSON.stringify(content);

export const answerIn = ({ received }: HttpExchange, id: string): Message | undefined =>
  received.find(m => m.id === id && m.method === undefined);

export const scenarios = [
  scenario.http('server/authorized/token-in-header', {
    title: 'a valid token in the Authorization header is accepted, whatever the letter case of its scheme',
    verifies: ['auth.header-token-accepted', 'auth.scheme-case-insensitive'],
    ...raw,
    withoutAccess: true,
    async run(at) {
      const { expect } = at;
      const { token } = at.access;
      if (token === undefined) throw new NotObserved(noToken);
      const e = await requestWithToken(at, `Bearer ${token}`);
      expect.that('auth.header-token-accepted', {
        ok: succeeded(e),
        expected: 'access',
        evidence: [e],
        actual: e.outcome,
      });
      if (!isAdmitted(e))
        return expect.inconclusive('auth.scheme-case-insensitive', 'a request with the token gets no result');
      for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
        const other = await requestWithToken(at, `${scheme} ${token}`);
        const actual = `${other.outcome} with ${scheme}`;
        expect.that('auth.scheme-case-insensitive', {
          ok: isAdmitted(other),
          expected: 'access',
          evidence: [e, other],
          actual,
        });
      }
    },
  }),

  scenario.http('server/authorized/token-in-query', {
    title: 'a valid token in the URL is not accepted',
    verifies: ['auth.query-token-ignored'],
    ...raw,
    async run(at) {
      const { expect, access } = at;
      if (access.token === undefined) throw new NotObserved(noToken);
      for (const name of ['access_token', 'token']) {
        const e = await requestWithToken(at, null, `${name}=${access.token}`);
        expect.that('auth.query-token-ignored', {
          ...refusedToken(e),
          expected: `a token in ?${name}=… to be refused`,
          actual: `${e.outcome} for ?${name}=…`,
        });
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
      if (token === undefined) throw new NotObserved('no expired token is available: give --expired-token');
      const e = await requestWithToken(at, `Bearer ${token}`);
      expect('auth.401-expired-token', e).status(401);
    },
  }),

  scenario.http('server/authorized/token-for-another', {
    title: 'a token that was issued for another server is refused',
    verifies: ['auth.audience-checked'],
    ...raw,
    async run(at) {
      const { expect, access, http } = at;
      const { origin } = new URL(http.url);
      const foreign = [
        'https://other.example/mcp',
        `${origin}/another-server`,
        origin.replace(/\d+$/, '1'),
        // a server that compares beginnings accepts this one
        `${http.url.replace(/\/$/, '')}-of-another`,
        undefined,
      ];
      const scope = 'mcp:read mcp:write';
      const own = await access.mint({ aud: http.url, scope });
      if (own === undefined)
        throw new NotObserved(
          'no token for another server is available; a server that trusts `mcp-conform mock authorization-server` can be tested with one',
        );
      const control = await requestWithToken(at, `Bearer ${own}`);
      if (!isAdmitted(control))
        return expect.inconclusive(
          'auth.audience-checked',
          'the server refuses a token that was issued for this server',
        );
      for (const aud of foreign) {
        const token = await access.mint(aud === undefined ? { scope } : { aud, scope });
        const e = await requestWithToken(at, `Bearer ${token}`);
        const right = e.status === 401 || e.status === 403;
        expect.that('auth.audience-checked', {
          ok: right,
          expected: `a token ${aud === undefined ? 'without aud' : `with aud ${aud}`} to be refused`,
          evidence: [e],
          actual: e.outcome,
        });
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
      if (token === undefined) throw new NotObserved('no token with such an audience is available');
      const e = await requestWithToken(at, `Bearer ${token}`);
      expect.that(row, {
        ok: succeeded(e),
        expected: `access with a token with aud ${loud}`,
        evidence: [e],
        actual: e.outcome,
      });
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
        throw new NotObserved('no token of another issuer is available: give --foreign-token');
      const e = await requestWithToken(at, `Bearer ${token}`);
      expect.that(row, refusedToken(e));
    },
  }),

  scenario.http('server/authorized/within-a-session', {
    title: 'each request within a session is refused without a valid token',
    verifies: ['auth.every-request-verified', 'auth.session-not-authentication'],
    async run(at) {
      const { expect, access, http, peer } = at;
      const rows = ['auth.every-request-verified', 'auth.session-not-authentication'] as const;
      if (access.token === undefined) return expect.notObserved(rows, noToken);
      if (!access.guardsOpening)
        return expect.notObserved(rows, `the server accepts ${peer.era.opensWith} without a token`);
      const asks = [
        { body: listTools(at) },
        // without a handshake a client sends only requests over HTTP, each by POST
        ...(isModern(peer) ? [] : [{ body: note }, { method: 'GET' }, { method: 'DELETE' }]),
      ];
      for (const ask of asks) {
        const what = 'body' in ask ? asText(ask.body?.method) : ask.method;
        for (const authorization of [null, 'Bearer mcp-conform-no-such-token']) {
          const e = await intrude(at, ask, authorization);
          if (e.isStream) http.drop(e, { resume: false });
          const [row, other] =
            authorization === null && http.sessionId !== undefined ? [rows[1], rows[0]] : rows;
          const how = authorization === null ? 'without a token' : 'with a forged token';
          expect.that(row, {
            ...refusedToken(e),
            expected: `${what} ${how} to be refused`,
          });
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
      if (http.sessionId === undefined) throw new NotObserved('the server assigns no session ID');
      const token = await access.tokenOf('second');
      if (token === undefined)
        throw new NotObserved('no token of a second user is available: give --second-bearer-token');
      const e = await intrude(at, { body: listTools(at) }, `Bearer ${token}`);
      expect.that(row, refusedToken(e));
      const ended = await intrude(at, { method: 'DELETE' }, `Bearer ${token}`);
      const own = await http.fetch({ body: listTools(at) });
      expect.that(row, {
        ok: own.status !== 404,
        expected: 'a session that its user can go on with',
        evidence: [ended, own],
        actual: `${own.outcome} after DELETE with the token of another user`,
      });
    },
  }),

  scenario.http('server/authorized/too-little-scope', {
    title: 'a tools/call that requires more scope is refused with 403 and the required scope',
    verifies: ['auth.403-insufficient-scope', 'auth.403-challenge', 'auth.403-scope-needed'],
    fixtures: ['role privileged'],
    async run(at) {
      const { expect, access, tool, http, peer } = at;
      const token = await access.tokenOf('weak');
      const rows = ['auth.403-insufficient-scope', 'auth.403-challenge', 'auth.403-scope-needed'] as const;
      if (token === undefined)
        return expect.notObserved(rows, 'no token with less scope is available: give --weak-bearer-token');
      const headers = (await enter(at, token)) ?? { Authorization: `Bearer ${token}` };
      const params = peer.era.dress(peer, tool('privileged')) ?? {};
      const body = { jsonrpc: '2.0', id: 'privileged', method: 'tools/call', params };
      const e = await http.fetch({ body, headers });
      expect('auth.403-insufficient-scope', e).status(403);
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
      if (e.status === 403)
        expect.that('auth.403-challenge', {
          ok: !lacks,
          expected: lacks || 'a challenge',
          evidence: [e],
          actual: told,
        });
      else expect.inconclusive('auth.403-challenge', `expected status 403 for the call, got ${e.outcome}`);
      const enough = scope === undefined ? undefined : await access.mint({ aud: http.url, scope });
      if (enough === undefined)
        return expect.notObserved('auth.403-scope-needed', 'no token with the required scope is available');
      const again = await http.fetch({ body, headers: { ...headers, Authorization: `Bearer ${enough}` } });
      expect.that('auth.403-scope-needed', {
        ok: succeeded(again),
        expected: `access with scope ${scope}`,
        evidence: [e, again],
        actual: again.outcome,
      });
    },
  }),

  scenario.http('server/authorized/public-lists', {
    title: 'a list that is marked as public is the same for another user',
    verifies: ['caching.scope-matches-visibility'],
    async run(at) {
      const { expect, access, peer, http } = at;
      const row = 'caching.scope-matches-visibility';
      const [own, second] = [access.token, await access.tokenOf('second')];
      if (own === undefined || second === undefined)
        throw new NotObserved('no token of a second user is available: give --second-bearer-token');
      const ask = async (method: string, token: string, time: number) => {
        const id = `${method} ${time}`;
        const e = await http.fetch({
          body: asking({ peer }, id, method),
          headers: { Authorization: `Bearer ${token}` },
        });
        const reply = answerIn(e, id);
        const result = reply && bodyOf(reply).result;
        return { e, result: isObject(result) ? result : undefined };
      };
      let compared = 0;
      for (const [capability, method] of Object.entries(listMethods)) {
        if (!declares(peer.declared, capability)) continue;
        // a list that changes by itself shows nothing
        const [one, other, again] = [
          await ask(method, own, 1),
          await ask(method, second, 2),
          await ask(method, own, 3),
        ];
        if (one.result?.cacheScope !== 'public' || !other.result || !again.result) continue;
        if (contentOf(one.result) !== contentOf(again.result)) continue;
        compared++;
        expect.that(row, {
          ok: contentOf(one.result) === contentOf(other.result),
          expected: `the same result of ${method} for both users, or cacheScope private`,
          evidence: [one.e, other.e, again.e],
          actual: 'different results with cacheScope public',
        });
      }
      if (compared === 0) expect.notObserved(row, 'no list is marked as public');
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
        throw new NotObserved('no token of a second user is available: give --second-bearer-token');
      const made = await begin(peer, { name: 'test_task', arguments: {} });
      const taskId = idIn(made);
      if (taskId === undefined) throw new NotObserved('no task was created');
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
        const actual = `${operation}: ${given ? 'a result' : e.outcome}`;
        expect.that('tasks.foreign-context-rejected', {
          ok: !given,
          expected: `${operation} without access to the task to be refused`,
          evidence: [made, e],
          actual,
        });
        if (given) leak ??= { evidence: [e], actual };
      }
      const listed = await ask('tasks/list', {});
      const tasks = listed.reply && bodyOf(listed.reply).result;
      const all = isObject(tasks) && Array.isArray(tasks.tasks) ? tasks.tasks : undefined;
      const seen = all?.some(task => isObject(task) && task.taskId === taskId) ?? false;
      if (!all) expect.notObserved('tasks.list-own-context', 'tasks/list of the second user returns no list');
      else
        expect.that('tasks.list-own-context', {
          ok: !seen,
          expected: 'a list without the tasks of the first user',
          evidence: [made, listed.e],
          actual: `a list with the task ${taskId}`,
        });
      if (seen) leak ??= { evidence: [listed.e], actual: 'tasks/list of another user shows the task' };
      const evidence = [made, ...(leak?.evidence ?? [])];
      expect.that('tasks.bound-to-authorization', {
        ok: !leak,
        expected: 'a task that only its creator can use',
        evidence,
        actual: leak?.actual,
      });
    },
  }),
];
