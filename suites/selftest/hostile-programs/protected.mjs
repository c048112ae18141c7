// A gate with OAuth before a hostile server, and its authorization server on the same port. Hooks answer in place of
// one endpoint: `auth.metadata(response, facts)`, or change the JSON of it: `auth.metadataOf(json, facts)`.
import { createHash, randomUUID } from 'node:crypto';

const tokens = new Set();
/** What each code and each refresh token was issued for; each is valid once. */
const codes = new Map();
const refreshTokens = new Map();
const json = (response, status, value) =>
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(value));

const body = request =>
  new Promise(resolve => {
    const parts = [];
    request.on('data', part => parts.push(part)).on('end', () => resolve(Buffer.concat(parts).toString()));
  });

const take = (map, key) => {
  const value = map.get(key);
  map.delete(key);
  return value;
};

/** The client of a request to the token endpoint; undefined when its code or its refresh token is not valid. */
function grantee(form) {
  if (form.get('grant_type') === 'refresh_token') {
    const client = take(refreshTokens, form.get('refresh_token'));
    return client === form.get('client_id') ? client : undefined;
  }
  const issued = form.get('grant_type') === 'authorization_code' ? take(codes, form.get('code')) : undefined;
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  const isRight =
    issued?.challenge === challenge &&
    issued.client === form.get('client_id') &&
    issued.redirect === (form.get('redirect_uri') ?? issued.redirect);
  return isRight ? issued.client : undefined;
}

export async function protect(auth, request, response, { port, canary, next }) {
  const origin = `http://127.0.0.1:${port}`;
  const url = new URL(request.url, origin);
  const facts = { origin, canary: `http://127.0.0.1:${canary}`, url, request };
  /** @param change name of the hook, for example `metadata` */
  const answer = (name, status, value) =>
    auth[name]
      ? auth[name](response, facts)
      : json(response, status, auth[`${name}Of`]?.(value, facts) ?? value);
  if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
    return answer('resource', 200, {
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
      scopes_supported: ['mcp'],
    });
  if (url.pathname.startsWith('/.well-known/'))
    return answer('metadata', 200, {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      scopes_supported: ['mcp'],
      authorization_response_iss_parameter_supported: true,
    });
  if (url.pathname === '/register') {
    const given = JSON.parse((await body(request)) || '{}');
    return answer('register', 201, { ...given, client_id: `client-${randomUUID()}` });
  }
  if (url.pathname === '/authorize') {
    if (auth.authorize) return auth.authorize(response, facts);
    const fields = [...url.searchParams]
      .map(([name, value]) => `<input type=hidden name="${name}" value="${value.replaceAll('"', '&quot;')}">`)
      .join('');
    return response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end(
        `<form method=post action=/login>${fields}<input name=user><input type=password name=password><button>Sign in</button></form>`,
      );
  }
  if (url.pathname === '/login') {
    const form = new URLSearchParams(await body(request));
    if (auth.login) return auth.login(response, { ...facts, form });
    const code = randomUUID();
    codes.set(code, {
      challenge: form.get('code_challenge'),
      client: form.get('client_id'),
      redirect: form.get('redirect_uri'),
    });
    const target = new URL(form.get('redirect_uri'));
    target.searchParams.set('code', code);
    target.searchParams.set('iss', origin);
    if (form.has('state')) target.searchParams.set('state', form.get('state'));
    return response.writeHead(302, { Location: String(target) }).end();
  }
  if (url.pathname === '/token') {
    const form = new URLSearchParams(await body(request));
    if (auth.token) return auth.token(response, facts);
    const client = grantee(form);
    if (!client) return json(response, 400, { error: 'invalid_grant' });
    const [token, refresh] = [`token-${randomUUID()}`, `refresh-${randomUUID()}`];
    tokens.add(token);
    refreshTokens.set(refresh, client);
    return answer('token', 200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: refresh,
      scope: 'mcp',
    });
  }
  if (auth.other && url.pathname !== '/mcp') return auth.other(response, facts);
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  if (tokens.has(token) && !auth.refusesTokens) return next();
  if (auth.challenge) return auth.challenge(response, facts);
  const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="mcp"`;
  return response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
}
