// The least client of the TypeScript SDK with bound tokens: the user's browser is a request whose redirect has the code.
import {
  Client,
  DpopSession,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

const redirectUrl = 'http://127.0.0.1:3000/callback';
let returned;
const kept = {};
const session = await DpopSession.create();
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: 'dpop-client',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  state: () => crypto.randomUUID(),
  clientInformation: () => kept.client,
  saveClientInformation: client => Object.assign(kept, { client: client }),
  tokens: () => kept.tokens,
  saveTokens: tokens => Object.assign(kept, { tokens: tokens }),
  saveCodeVerifier: verifier => Object.assign(kept, { verifier: verifier }),
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: state => Object.assign(kept, { discovery: state }),
  discoveryState: () => kept.discovery,
  dpop: () => session,
  async redirectToAuthorization(url) {
    const answer = await fetch(url, { redirect: 'manual' });
    returned = new URL(answer.headers.get('location')).searchParams;
  },
};

const url = new URL(process.argv.at(-1));
const connect = async () => {
  const client = new Client(
    { name: 'dpop-client', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || !returned) throw error;
    await transport.finishAuth(returned);
    returned = undefined;
    return connect();
  }
};
const client = await connect();
await client.listTools();
await client.callTool({ name: 'test-tool', arguments: {} }).catch(() => {});
await client.callTool({ name: 'test-tool', arguments: {} }).catch(() => {});
await client.close();
