// A protected server, its metadata, and an authorization server that is hostile in one place.
import { deepObjectText, MB, members, numbers } from './payloads.mjs';

const login = ['--login', 'user=alice,password=correct-horse-battery'];
const behaviour = (what, auth, over = ['http', 'http new']) => ({ what, over, options: login, auth });
const json = (response, text) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
const page = (response, text) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(text);
const endless = (response, part = ' '.repeat(60_000)) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.on('error', () => {});
  const write = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', write);
  write();
};
const hangs = () => {};
const byteByByte = response => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(' ')), 500);
};
const challenge = (what, header, over = ['http']) =>
  behaviour(
    what,
    { challenge: (response, facts) => response.writeHead(401, { 'WWW-Authenticate': header(facts) }).end() },
    over,
  );
const odd = {
  issuer: 5,
  authorization_endpoint: {},
  token_endpoint: [],
  registration_endpoint: null,
  code_challenge_methods_supported: 'S256',
  scopes_supported: { a: 1 },
};

/** These are tested as authorization servers too, without the server that they protect. */
const alsoAlone = new Set([
  'auth-polite',
  'auth-metadata-hangs',
  'auth-metadata-endless',
  'auth-metadata-deep',
  'auth-metadata-of-any-type',
  'auth-metadata-members',
  'auth-endpoints-link-local',
  'auth-endpoint-of-a-script',
  'auth-issuer-of-another',
  'auth-registration-hangs',
  'auth-registration-endless',
  'auth-registration-of-any-type',
  'auth-page-hangs',
  'auth-page-endless',
  'auth-page-of-60,000-forms',
  'auth-page-deep',
  'auth-page-to-itself',
  'auth-page-elsewhere',
  'auth-redirects-to-itself',
  'auth-redirects-onwards',
  'auth-token-hangs',
  'auth-token-byte-by-byte',
  'auth-token-endless',
  'auth-token-of-any-type',
  'auth-token-deep',
]);

/** Another port of this host may get requests, where the subject is on this host too. */
const otherPort = entry => ({ ...entry, hears: true });

const behaviours = {
  'auth-polite': behaviour('is protected', {}),
  'auth-no-challenge': behaviour('refuses without a challenge', {
    challenge: response => response.writeHead(401).end(),
  }),
  'auth-challenge-of-15-kb': challenge(
    'has a challenge of 15 KB',
    () => `Bearer ${'a="b", '.repeat(2_000)}c="d"`,
  ),
  'auth-broken-challenge': challenge(
    'has a challenge that is broken',
    () => 'Bearer resource_metadata="http://[, scope=\\", ="", Basic, ,,,',
  ),
  'auth-hundred-challenges': challenge('has 100 challenges', ({ origin }) =>
    numbers(100)
      .map(at => `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/${at}"`)
      .join(', '),
  ),
  'auth-challenge-elsewhere': otherPort(
    challenge('has its metadata at another port', ({ canary }) => `Bearer resource_metadata="${canary}/x"`),
  ),
  'auth-challenge-of-a-file': challenge(
    'has its metadata in a file',
    () => 'Bearer resource_metadata="file:///etc/passwd"',
  ),
  'auth-challenge-link-local': challenge(
    'has its metadata at a link-local address',
    () => 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"',
  ),
  'auth-refuses-each-token': behaviour('refuses the tokens that it issued', { refusesTokens: true }),
  'auth-asks-for-more-scope': behaviour('asks for another scope each time', {
    refusesTokens: true,
    challenge: (response, { origin }) =>
      response
        .writeHead(403, {
          'WWW-Authenticate': `Bearer error="insufficient_scope", scope="s${Math.random()}", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
        })
        .end(),
  }),
  'auth-resource-hangs': behaviour('does not answer for its metadata', { resource: hangs }),
  'auth-resource-byte-by-byte': behaviour('sends one byte of its metadata twice a second', {
    resource: byteByByte,
  }),
  'auth-resource-endless': behaviour('has metadata without end', { resource: response => endless(response) }),
  'auth-resource-of-100-mb': behaviour(
    'has metadata of 100 MB',
    { resource: response => json(response, `{"resource":"${'x'.repeat(100 * MB)}"}`) },
    ['http'],
  ),
  'auth-resource-deep': behaviour('has metadata nested 100,000 deep', {
    resource: response => json(response, deepObjectText(100_000)),
  }),
  'auth-resource-of-any-type': behaviour('has metadata of the wrong type', {
    resource: response => json(response, '[null]'),
  }),
  'auth-resource-is-a-page': behaviour('has a page in place of metadata', {
    resource: response => page(response, '<html>'),
  }),
  'auth-resource-redirects': behaviour(
    'redirects requests for its metadata to themselves',
    { resource: (response, { url }) => response.writeHead(302, { Location: url.href }).end() },
    ['http'],
  ),
  'auth-thousand-servers': behaviour('names 1,000 authorization servers', {
    resourceOf: (value, { origin }) => ({
      ...value,
      authorization_servers: numbers(1_000).map(at => `${origin}/as${at}`),
    }),
  }),
  'auth-servers-of-any-type': behaviour('names authorization servers that are no addresses', {
    resourceOf: value => ({
      ...value,
      authorization_servers: [
        'file:///x',
        '',
        'http://[',
        5,
        null,
        {},
        'javascript:alert(1)',
        'x'.repeat(100_000),
      ],
    }),
  }),
  'auth-server-link-local': behaviour('names an authorization server at a link-local address', {
    resourceOf: value => ({ ...value, authorization_servers: ['http://169.254.169.254/'] }),
  }),
  'auth-servers-are-an-object': behaviour(
    'names an object as its authorization servers',
    {
      resourceOf: value => ({
        ...value,
        authorization_servers: { length: 1e9 },
        scopes_supported: 5,
        resource: [],
      }),
    },
    ['http'],
  ),
  'auth-metadata-hangs': behaviour('has an authorization server whose metadata hangs', { metadata: hangs }),
  'auth-metadata-endless': behaviour('has an authorization server with metadata without end', {
    metadata: response => endless(response),
  }),
  'auth-metadata-deep': behaviour(
    'has an authorization server with metadata nested 100,000 deep',
    { metadata: response => json(response, deepObjectText(100_000)) },
    ['http'],
  ),
  'auth-metadata-of-any-type': behaviour(
    'has metadata of an authorization server with values of the wrong type',
    { metadataOf: value => ({ ...value, ...odd }) },
  ),
  'auth-metadata-members': behaviour(
    'has metadata with 20,000 members',
    { metadataOf: value => ({ ...members(20_000, 'x'), ...value }) },
    ['http'],
  ),
  'auth-endpoints-elsewhere': otherPort(
    behaviour(
      'has endpoints at another port',
      {
        metadataOf: (value, { canary }) => ({
          ...value,
          token_endpoint: `${canary}/token`,
          registration_endpoint: `${canary}/register`,
        }),
      },
      ['http'],
    ),
  ),
  'auth-endpoints-link-local': behaviour(
    'has endpoints at a link-local address',
    {
      metadataOf: value => ({
        ...value,
        authorization_endpoint: 'http://169.254.169.254/a',
        token_endpoint: 'http://169.254.169.254/t',
        registration_endpoint: 'http://169.254.169.254/r',
      }),
    },
    ['http'],
  ),
  'auth-endpoint-of-a-script': behaviour(
    'has a script as its authorization endpoint',
    {
      metadataOf: value => ({
        ...value,
        authorization_endpoint: 'javascript:alert(1)',
        token_endpoint: 'file:///etc/passwd',
      }),
    },
    ['http'],
  ),
  'auth-issuer-of-another': behaviour(
    'names another issuer',
    { metadataOf: value => ({ ...value, issuer: 'https://accounts.example' }) },
    ['http'],
  ),
  'auth-registration-hangs': behaviour('does not answer registrations', { register: hangs }, ['http']),
  'auth-registration-endless': behaviour(
    'answers registrations without end',
    { register: response => endless(response) },
    ['http'],
  ),
  'auth-registration-of-any-type': behaviour('registers clients with values of the wrong type', {
    registerOf: () => ({ client_id: { toString: 1 }, client_secret: 5, redirect_uris: 'x' }),
  }),
  'auth-client-id-of-1-mb': behaviour(
    'registers clients with ids of 900 KB',
    { registerOf: value => ({ ...value, client_id: 'c'.repeat(900_000) }) },
    ['http'],
  ),
  'auth-page-hangs': behaviour('has a login page that hangs', { authorize: hangs }, ['http']),
  'auth-page-endless': behaviour(
    'has a login page without end',
    { authorize: response => endless(response, '<p>') },
    ['http'],
  ),
  'auth-page-of-60,000-forms': behaviour(
    'has a login page with 60,000 forms',
    { authorize: response => page(response, '<form><input name=a></form>'.repeat(38_000)) },
    ['http'],
  ),
  'auth-page-of-100,000-fields': behaviour(
    'has a login page with 60,000 fields',
    {
      authorize: response =>
        page(response, `<form method=post action=/login>${'<input name=a>'.repeat(60_000)}`),
    },
    ['http'],
  ),
  'auth-page-deep': behaviour(
    'has a login page nested 100,000 deep',
    { authorize: response => page(response, '<div>'.repeat(100_000)) },
    ['http'],
  ),
  'auth-page-to-itself': behaviour(
    'shows its login page again and again',
    {
      login: (response, { form }) =>
        page(
          response,
          `<form method=post action=/login><input name=user><input type=password name=password><input type=hidden name=n value="${form.size}"><button>x</button></form>`,
        ),
    },
    ['http'],
  ),
  'auth-page-elsewhere': behaviour(
    'has a login page that sends the password elsewhere',
    {
      authorize: (response, { canary }) =>
        page(
          response,
          `<form method=post action="${canary}/steal"><input name=user><input type=password name=password><button>x</button></form>`,
        ),
    },
    ['http'],
  ),
  'auth-redirects-to-itself': behaviour(
    'redirects the browser to itself',
    { authorize: (response, { url }) => response.writeHead(302, { Location: url.href }).end() },
    ['http'],
  ),
  'auth-redirects-onwards': behaviour(
    'redirects the browser without end',
    {
      authorize: (response, { url }) =>
        response.writeHead(302, { Location: `/authorize?${url.searchParams}&x=${Math.random()}` }).end(),
    },
    ['http'],
  ),
  'auth-redirects-elsewhere': otherPort(
    behaviour(
      'redirects the browser to another port',
      { login: (response, { canary }) => response.writeHead(302, { Location: `${canary}/x` }).end() },
      ['http'],
    ),
  ),
  'auth-ten-thousand-cookies': behaviour(
    'sets 1,000 cookies on its login page',
    {
      authorize: response =>
        response
          .writeHead(200, {
            'Content-Type': 'text/html',
            'Set-Cookie': numbers(1_000).map(at => `c${at}=${at}; Path=/; Domain=evil`),
          })
          .end('<form method=post action=/login><input name=user><button>x</button></form>'),
    },
    ['http'],
  ),
  'auth-code-of-500-kb': behaviour(
    'issues a code of 10 KB',
    {
      login: (response, { form }) =>
        response
          .writeHead(302, {
            Location: `${form.get('redirect_uri')}?code=${'c'.repeat(10_000)}&state=${form.get('state')}`,
          })
          .end(),
    },
    ['http'],
  ),
  'auth-page-without-a-form': behaviour(
    'has a login page without a form',
    { authorize: response => page(response, '<script>document.write("form")</script>') },
    ['http'],
  ),
  'auth-token-hangs': behaviour('does not answer for tokens', { token: hangs }, ['http']),
  'auth-token-byte-by-byte': behaviour('sends one byte of a token twice a second', { token: byteByByte }, [
    'http',
  ]),
  'auth-token-endless': behaviour('sends a token without end', { token: response => endless(response) }, [
    'http',
  ]),
  'auth-token-of-any-type': behaviour('issues tokens with values of the wrong type', {
    tokenOf: () => ({
      access_token: { toString: 1 },
      token_type: 5,
      expires_in: 'NaN',
      scope: [],
      refresh_token: null,
    }),
  }),
  'auth-token-with-newlines': behaviour('issues a token with line breaks', {
    tokenOf: value => ({ ...value, access_token: 'a\r\nX-Evil: 1\u0000\ud800ü' }),
  }),
  'auth-token-of-900-kb': behaviour(
    'issues a token of 900 KB',
    { tokenOf: value => ({ ...value, access_token: 't'.repeat(900_000) }) },
    ['http'],
  ),
  'auth-token-expired': behaviour(
    'issues tokens that have expired',
    { tokenOf: value => ({ ...value, expires_in: -1e308 }) },
    ['http'],
  ),
  'auth-token-deep': behaviour(
    'answers for tokens with JSON nested 100,000 deep',
    { token: response => json(response, deepObjectText(100_000)) },
    ['http'],
  ),
  'auth-token-of-another-kind': behaviour(
    'issues tokens of an unknown type',
    { tokenOf: value => ({ ...value, token_type: 'x'.repeat(10_000) }) },
    ['http'],
  ),
};

export const authorization = Object.fromEntries(
  Object.entries(behaviours).map(([name, entry]) => [
    name,
    alsoAlone.has(name) ? { ...entry, over: [...entry.over, 'issuer'] } : entry,
  ]),
);
