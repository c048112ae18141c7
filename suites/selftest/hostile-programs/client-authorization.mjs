// The authorization flow of a client, with hooks: `redirectUri`, `registration`, `address`, `callback`, `form`.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

const textId = bytes => randomBytes(bytes).toString('base64url');
const getJson = async address => (await fetch(address)).json();

/** @returns the token */
export async function authorize(hooks, refusal, url, canary) {
  const [, named] = /resource_metadata="([^"]+)"/.exec(refusal.headers.get('www-authenticate') ?? '') ?? [];
  const resource = await getJson(named ?? new URL('/.well-known/oauth-protected-resource', url));
  const issuer = new URL(resource.authorization_servers[0]);
  const path = issuer.pathname === '/' ? '' : issuer.pathname;
  const server = await getJson(new URL(`/.well-known/oauth-authorization-server${path}`, issuer));
  if (hooks.discovered) await hooks.discovered({ resource, server, canary });
  const callback = createServer();
  await new Promise(resolve => callback.listen(0, '127.0.0.1', resolve));
  const redirectUri = hooks.redirectUri?.(canary) ?? `http://127.0.0.1:${callback.address().port}/callback`;
  const registration = {
    client_name: 'hostile',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    ...hooks.registration,
  };
  const registered = await fetch(server.registration_endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: hooks.registrationBody ?? JSON.stringify(registration),
  });
  const { client_id: client } = await registered.json();
  const verifier = textId(48);
  const state = textId(16);
  const address = new URL(server.authorization_endpoint);
  const params = {
    response_type: 'code',
    client_id: client,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    resource: resource.resource,
    ...hooks.params,
  };
  for (const [name, value] of Object.entries(params)) address.searchParams.set(name, value);
  const code = new Promise(resolve => {
    callback.on('request', (request, response) => {
      const { searchParams } = new URL(request.url, 'http://a');
      if (hooks.callback) hooks.callback(response, canary);
      else response.end('You may close this page.');
      resolve(searchParams.get('code'));
    });
  });
  const printed = hooks.address?.(address, canary) ?? String(address);
  process.stderr.write(`Please authorize this client by visiting:\n${printed}\n`);
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: (await code) ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id: client,
    resource: resource.resource,
    ...hooks.form,
  });
  const answer = await fetch(server.token_endpoint, { method: 'POST', body: form });
  callback.close();
  callback.closeAllConnections();
  const { access_token: token } = await answer.json();
  return hooks.token?.(token) ?? token;
}
