/**
 * A driver for the clients of the TypeScript SDK: runs the script in MCP_CONFORM_SCRIPT. It uses
 * @modelcontextprotocol/client (2.x) where that package is installed, else @modelcontextprotocol/sdk (1.x).
 *
 *     mcp-conform client -- node sdk-client.mjs
 *
 * SDK_CLIENT_MODE is the version negotiation of 2.x: auto (default), legacy, or a date, which pins the version.
 * Copy the file into the folder of the SDK. The verbs are described in `harness/scenario/script.ts`; a client
 * in another language needs nothing more.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const env = process.env;
const script = JSON.parse(env.MCP_CONFORM_SCRIPT ?? '[["connect"],["list","tools"],["close"]]');
const known = 'connect list call read get complete subscribe cancel answer close restart'.split(' ');
const examine = steps => {
  if (steps.some(([verb]) => !known.includes(verb))) process.exit(127);
  return steps;
};
examine(script);
const second = await import('@modelcontextprotocol/client').catch(() => undefined);
const date = /^\d{4}-/.test(env.SDK_CLIENT_MODE ?? '') && { pin: env.SDK_CLIENT_MODE };
const mode = date || (env.SDK_CLIENT_MODE ?? 'auto');
const { Client } = second ?? (await import('@modelcontextprotocol/sdk/client/index.js'));
const types = second ?? (await import('@modelcontextprotocol/sdk/types.js'));
// early releases lack this module, and the second major version creates its validator late by itself
const { AjvJsonSchemaValidator } = second
  ? {}
  : await import('@modelcontextprotocol/sdk/validation/ajv').catch(() => ({}));

/** Modules that only some releases have; a repeated lookup takes as long as a request. */
const loaded = new Map();
function load(name) {
  if (!loaded.has(name)) loaded.set(name, import(name));
  return loaded.get(name);
}

/** A host gives a server no root that leads out of a folder, whatever its user has configured. */
const hasNoDotSegments = uri => !/(^|\/)\.{1,2}(\/|$)/.test(uri.replace(/%2e/gi, '.'));

/** A host opens no page of the file system or of a program, and none in the clear on another machine. */
const mayOpen = ({ protocol, hostname }) =>
  protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.|\[::1\])/.test(hostname));

/** Authorizations for one operation, after which the user gives up: the SDK has no limit across calls. */
const mostAuthorizations = 3;

/** The capability and the method of each handler. */
const needs = {
  ListRootsRequestSchema: ['roots', 'roots/list'],
  CreateMessageRequestSchema: ['sampling', 'sampling/createMessage'],
  ElicitRequestSchema: ['elicitation', 'elicitation/create'],
};

const plain = { string: 'text', number: 1, integer: 1, boolean: true };
/** The first value of a choice; one of them for a choice of several values. */
const first = p => (p.type === 'array' ? [first(p.items)] : (p.enum?.[0] ?? (p.oneOf ?? p.anyOf)?.[0].const));
const fill = ({ properties = {} }) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, p]) => [
      name,
      p.default ?? first(p) ?? p.minimum ?? plain[p.type],
    ]),
  );

/** The default of the SDK, created only when a schema exists: most servers have none. */
function validator() {
  let made;
  return {
    getValidator(schema) {
      made ??= new AjvJsonSchemaValidator();
      return made.getValidator(schema);
    },
  };
}

const lists = {
  tools: 'listTools',
  prompts: 'listPrompts',
  resources: 'listResources',
  templates: 'listResourceTemplates',
};

const complain = error => console.error(String(error));
/** A matrix reads what the user of the client gets. */
const report = (step, outcome) =>
  env.MCP_CONFORM_REPORT === 'steps' && console.log(JSON.stringify({ step, ...outcome }));

/** The steps at an address; the response may take long. */
const further = async url => examine(await (await fetch(url)).json());

/**
 * Runs a script with connections and data of its own.
 * @param start the first place
 * @returns the exit code
 */
async function play(script, start) {
  const others = [];
  const open = new Set();
  const listed = new Set();
  let failed = false;
  let place, client, transport, last, answers, provider, returned, subscription;

  /**
   * Opens a new connection without state. @param where `url` or `command`, and `context`: preconfigured
   * credentials, `browser`: where the words for the browser of the user go
   */
  function begin(where) {
    place = where;
    client = transport = last = provider = returned = subscription = undefined;
    answers = { 'roots/list': ['accept', [{ uri: 'file:///project', name: 'project' }]] };
    open.clear();
    listed.clear();
  }

  async function makeTransport() {
    if (place.command) {
      const { StdioClientTransport } = await load(
        second ? '@modelcontextprotocol/client/stdio' : '@modelcontextprotocol/sdk/client/stdio.js',
      );
      const [command, ...args] = place.command;
      return new StdioClientTransport({ command, args });
    }
    const url = new URL(place.url);
    if (env.MCP_CONFORM_TRANSPORT === 'http-sse') {
      // early releases use the globals of browsers
      const found = await load('eventsource').catch(() => ({}));
      globalThis.EventSource ??= found.EventSource ?? found.default;
      const { SSEClientTransport } = second ?? (await load('@modelcontextprotocol/sdk/client/sse.js'));
      return new SSEClientTransport(url);
    }
    const { StreamableHTTPClientTransport } =
      second ?? (await load('@modelcontextprotocol/sdk/client/streamableHttp.js'));
    return new StreamableHTTPClientTransport(url, { authProvider: await authorization() });
  }

  /** Authorization of the SDK: a redirect endpoint, a browser, and storage. */
  async function authorization() {
    if (provider) return provider;
    const { client_id, client_secret } = place.context ?? {};
    const kept = client_id ? { client: { client_id, ...(client_secret && { client_secret }) } } : {};
    const callback = createServer();
    await new Promise(resolve => callback.listen(0, '127.0.0.1', resolve));
    callback.unref();
    const redirectUrl = `http://127.0.0.1:${callback.address().port}/callback`;
    const state = randomUUID();
    let settle;
    callback.on('request', (request, response) => {
      response.end('You may close this page.');
      const { searchParams } = new URL(request.url, redirectUrl);
      // the SDK leaves the comparison of the state to the application
      if (searchParams.get('state') === state) settle({ params: searchParams });
      else settle({ problem: 'The state of the authorization response differs from the request.' });
    });
    provider = {
      redirectUrl,
      clientMetadataUrl: 'https://client.example/client.json',
      clientMetadata: {
        client_name: 'sdk-client',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      state: () => state,
      clientInformation: () => kept.client,
      saveClientInformation: client => Object.assign(kept, { client }),
      tokens: () => kept.tokens,
      // what the metadata says is kept until the client has its tokens, and read again for the next ones
      saveTokens: tokens => Object.assign(kept, { tokens, discovery: undefined }),
      codeVerifier: () => kept.verifier,
      saveCodeVerifier: verifier => Object.assign(kept, { verifier }),
      discoveryState: () => kept.discovery,
      saveDiscoveryState: discovery => Object.assign(kept, { discovery }),
      invalidateCredentials(scope) {
        const all = ['client', 'tokens', 'verifier', 'discovery'];
        for (const name of scope === 'all' ? all : [scope]) delete kept[name];
      },
      redirectToAuthorization(url) {
        returned = new Promise(resolve => {
          settle = resolve;
          visit(url).then(
            () => resolve({ problem: 'No authorization response arrived.' }),
            error => resolve({ problem: String(error) }),
          );
        });
      },
    };
    return provider;
  }

  /** Opens a page for the user: in a browser if one exists, otherwise directly by the redirect of the page. */
  async function visit(url) {
    if (!mayOpen(url)) throw new Error(`The address ${url} is not opened.`);
    const browser = place.browser ?? env.MCP_CONFORM_BROWSER;
    if (browser)
      return (await fetch(browser, { method: 'POST', body: JSON.stringify([String(url)]) })).text();
    const { headers } = await fetch(url, { redirect: 'manual' });
    const back = headers.get('location');
    if (back) await fetch(new URL(back, url));
  }

  /** Runs an operation that may first need the user. */
  async function authorized(act) {
    for (let tries = 1; ; tries++) {
      try {
        return await act();
      } catch (error) {
        if (!returned) throw error;
        const { params, problem } = await returned;
        returned = undefined;
        if (tries === mostAuthorizations) throw error;
        const code = params?.get('code');
        if (!params || (!second && !code))
          throw new Error(problem ?? 'The authorization response has no code.');
        // 2.x reads the parameters itself, because it compares iss before it reads anything else
        await transport.finishAuth(second ? params : code);
      }
    }
  }

  /** The decisions of the user for requests of the server; schemas that a release lacks are omitted. */
  const decide = {
    ListRootsRequestSchema: () => {
      const [manner, roots] = answers['roots/list'];
      if (manner === 'refuse') throw new Error('The roots cannot be listed.');
      return { roots: (roots ?? []).filter(({ uri }) => hasNoDotSegments(uri)) };
    },
    CreateMessageRequestSchema: () => {
      if (answers['sampling/createMessage']?.[0] === 'refuse')
        throw new (second?.ProtocolError ?? types.McpError)(-1, 'User rejected sampling request');
      return {
        role: 'assistant',
        content: { type: 'text', text: 'This is a test response from the client' },
        model: 'test-model',
        stopReason: 'endTurn',
      };
    },
    ElicitRequestSchema: ({ params }) => {
      const [action, content] = answers['elicitation/create'] ?? ['accept'];
      if (action !== 'accept') return { action };
      return params.mode === 'url'
        ? { action }
        : { action, content: content ?? fill(params.requestedSchema) };
    },
  };

  async function pages(what, { timeoutMs } = {}) {
    const options = timeoutMs && { timeout: timeoutMs };
    const { tasks } = client.experimental ?? {};
    if (what === 'tasks' && !(tasks && client.getServerCapabilities()?.tasks?.list)) return;
    const turn = cursor =>
      what === 'tasks'
        ? tasks.listTasks(cursor, options)
        : client[lists[what]](cursor === undefined ? undefined : { cursor }, options);
    for (let cursor; ; ) {
      const page = await turn(cursor);
      for (const { name } of page.tools ?? []) listed.add(name);
      if (page.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  /** Sends a request with the options of its step. */
  function ask(send, { wait = true, timeoutMs, progress } = {}) {
    const stop = new AbortController();
    if (!wait) last = { stop };
    const answer = send({
      signal: stop.signal,
      ...(timeoutMs && { timeout: timeoutMs }),
      ...(progress && { onprogress: () => {} }),
    });
    if (wait) return answer;
    const done = answer.catch(complain).finally(() => open.delete(done));
    open.add(done);
    // 2.x sends a request later than it is called
    return second && new Promise(resolve => setTimeout(resolve, 50));
  }

  /** The SDK creates a task if the tool is known to need one, and polls until the task has ended. */
  async function callAsTask(params, options) {
    const call = last;
    for await (const { type, task, error } of client.experimental.tasks.callToolStream(
      params,
      undefined,
      options,
    )) {
      if (type === 'taskCreated' && call?.stop.signal === options.signal) call.task = task.taskId;
      if (type === 'error') throw error;
    }
  }

  const verbs = {
    async connect({ declare, without = [], timeoutMs } = {}) {
      const all = {
        roots: { listChanged: true },
        sampling: {},
        ...((second || types.ElicitRequestSchema) && { elicitation: {} }),
      };
      const isWanted = name => (declare?.includes(name) ?? true) && !without.includes(name);
      const capabilities = Object.fromEntries(Object.entries(all).filter(([name]) => isWanted(name)));
      client = new Client(
        { name: 'sdk-client', version: '1.0.0' },
        {
          capabilities,
          ...(AjvJsonSchemaValidator && { jsonSchemaValidator: validator() }),
          ...(second && mode !== 'legacy' && { versionNegotiation: { mode } }),
        },
      );
      for (const [schema, [capability, method]] of Object.entries(needs))
        if (capabilities[capability])
          client.setRequestHandler(second ? method : types[schema], decide[schema]);
      await authorized(async () => {
        transport = await makeTransport();
        await client.connect(transport, timeoutMs && { timeout: timeoutMs });
      });
    },
    list: (what, options) => authorized(() => pages(what, options)),
    call: (name, args = {}, options) => {
      // a host calls the tools that the SDK lists: 2.x leaves out those with an invalid definition
      if (second && listed.size > 0 && !listed.has(name)) throw new Error(`The tool ${name} is not listed.`);
      const call =
        options?.task && client.experimental
          ? callAsTask
          : (p, o) => (second ? client.callTool(p, o) : client.callTool(p, undefined, o));
      return authorized(() => ask(o => call({ name, arguments: args }, o), options));
    },
    read: (uri, options) => ask(o => client.readResource({ uri }, o), options),
    get: (name, args, options) => ask(o => client.getPrompt({ name, arguments: args }, o), options),
    complete: (ref, argument, settled) =>
      client.getServerCapabilities()?.completions &&
      client.complete({ ref, argument, ...(settled && { context: { arguments: settled } }) }),
    async subscribe(uri, on = true) {
      // a host asks only for what the server declares
      if (!client.getServerCapabilities()?.resources?.subscribe) return undefined;
      if (client.getProtocolEra?.() !== 'modern')
        return client[on ? 'subscribeResource' : 'unsubscribeResource']({ uri });
      await subscription?.close();
      // a client that keeps the list of tools has to know its changes
      const { listChanged } = client.getServerCapabilities().tools ?? {};
      subscription = on
        ? await client.listen({
            resourceSubscriptions: [uri],
            ...(listChanged && { toolsListChanged: true }),
          })
        : undefined;
    },
    async cancel(reason) {
      // the SDK also cancels the call when it runs as a task
      if (last?.task) await client.experimental.tasks.cancelTask(last.task);
      else last?.stop.abort(reason);
    },
    async answer(method, manner, content) {
      answers[method] = [manner, content];
      if (method === 'roots/list' && client) await client.sendRootsListChanged();
    },
    async close() {
      await Promise.all(open);
      await transport.terminateSession?.();
      await client.close();
    },
    async restart(where) {
      await client?.close();
      begin(where);
    },
  };

  begin(start);
  for (let at = 0; at < script.length; at++) {
    const [verb, ...args] = script[at];
    if (verb === 'restart') failed = false;
    // without a connection the next steps do nothing until the next connect
    else if (failed) continue;
    try {
      await verbs[verb](...args);
      report(at + 1, { ok: true });
    } catch (error) {
      complain(error);
      report(at + 1, { error: String(error) });
      failed = verb === 'connect';
    }
    // the last restart of a script names the addresses of further steps, and of scripts that run beside this one
    const { steps, beside = [] } = verb === 'restart' ? args[0] : {};
    if (!steps) continue;
    others.push(...beside.map(async url => play(await further(url), args[0])));
    script.push(...(await further(steps)));
  }
  await Promise.all(others);
  return failed ? 1 : 0;
}

const code = await play(script, {
  url: process.argv.at(-1),
  command: env.MCP_CONFORM_COMMAND && JSON.parse(env.MCP_CONFORM_COMMAND),
  context: JSON.parse(env.MCP_CONFORMANCE_CONTEXT ?? '{}'),
});
process.exit(code);
