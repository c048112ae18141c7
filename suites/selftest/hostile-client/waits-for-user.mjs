// A client over HTTP whose user authorizes it in a browser that the client does not start: it prints the address
// (`prints`), or shows it where no program can read it (`shows`), or prints and requests it itself, four times when its
// call is refused (`opens`). It supports no scripts. The last argument is the URL; a port before it is the callback
// port of every process.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

const mode = process.argv[2];
/** The callback port; by default a free one. A second process with the same port fails. */
const port = process.argv.length > 4 ? Number(process.argv[3]) : 0;
const url = new URL(process.argv.at(-1));
const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

let token;
const post = (message, more = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }), ...more },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
const getJson = async address => (await fetch(address)).json();
const textId = bytes => randomBytes(bytes).toString('base64url');

async function authorize(refusal) {
  const [, named] = /resource_metadata="([^"]+)"/.exec(refusal.headers.get('www-authenticate') ?? '') ?? [];
  const resource = await getJson(named);
  const [issuer] = resource.authorization_servers;
  const server = await getJson(new URL('/.well-known/oauth-authorization-server', issuer));
  const callback = createServer();
  await new Promise(resolve => callback.listen(port, '127.0.0.1', resolve));
  const redirectUri = `http://127.0.0.1:${callback.address().port}/callback`;
  const registration = {
    client_name: 'waits-for-user',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  };
  const registered = await fetch(server.registration_endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(registration),
  });
  const { client_id: client } = await registered.json();
  const verifier = textId(48);
  const address = new URL(server.authorization_endpoint);
  const state = textId(16);
  const params = {
    response_type: 'code',
    client_id: client,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    resource: resource.resource,
    scope: 'a:read',
  };
  for (const [name, value] of Object.entries(params)) address.searchParams.set(name, value);
  const code = new Promise(resolve => {
    callback.on('request', (request, response) => {
      response.end('You may close this page.');
      const { searchParams } = new URL(request.url, redirectUri);
      if (searchParams.get('state') === state) resolve(searchParams.get('code'));
    });
  });
  if (mode !== 'shows') process.stderr.write(`Please authorize this client by visiting:\n${address}\n`);
  if (mode === 'opens') {
    const page = await fetch(address, { redirect: 'manual' });
    // the callback is closed where the user was faster
    await fetch(page.headers.get('location')).catch(() => {});
  }
  const form = {
    grant_type: 'authorization_code',
    code: await code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id: client,
    resource: resource.resource,
  };
  callback.close();
  callback.closeAllConnections();
  const answer = await fetch(server.token_endpoint, { method: 'POST', body: new URLSearchParams(form) });
  token = (await answer.json()).access_token;
}

const params = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'waits-for-user', version: '1' },
};
const hello = { id: 1, method: 'initialize', params };
let answer = await post(hello);
if (answer.status === 401) {
  await authorize(answer);
  answer = await post(hello);
}
await answer.text();
const session = answer.headers.get('mcp-session-id');
const known = { 'MCP-Protocol-Version': '2025-11-25', ...(session && { 'Mcp-Session-Id': session }) };
await (await post({ method: 'notifications/initialized' }, known)).text();
await (await post({ id: 2, method: 'tools/list' }, known)).text();
for (let id = 3; mode === 'opens' && id < 7; id++) {
  const call = await post({ id, method: 'tools/call', params: { name: 'test-tool' } }, known);
  if (call.status === 401) await authorize(call);
}
