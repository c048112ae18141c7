// The least client of the TypeScript SDK with credentials of its own: @modelcontextprotocol/client 2.x where it is installed,
// else @modelcontextprotocol/sdk 1.x.
const second = await import('@modelcontextprotocol/client').catch(() => undefined);
const { Client } = second ?? (await import('@modelcontextprotocol/sdk/client/index.js'));
const { StreamableHTTPClientTransport } =
  second ?? (await import('@modelcontextprotocol/sdk/client/streamableHttp.js'));
const { ClientCredentialsProvider, PrivateKeyJwtProvider } =
  second ?? (await import('@modelcontextprotocol/sdk/client/auth-extensions.js'));

const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const { client_id: clientId, private_key_pem: privateKey, signing_algorithm: algorithm } = given;
const authProvider = privateKey
  ? new PrivateKeyJwtProvider({ clientId, privateKey, algorithm })
  : given.client_secret && new ClientCredentialsProvider({ clientId, clientSecret: given.client_secret });

const client = new Client({ name: 'credentials-client', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv.at(-1)), { authProvider }));
await client.listTools();
await client.callTool({ name: 'test-tool', arguments: {} }).catch(() => {});
await client.callTool({ name: 'test-tool', arguments: {} }).catch(() => {});
await client.close();
