import { inProcess, mockServer } from 'mcp-conform';
import { conformance } from 'mcp-conform/vitest';

// in place of the mock: your server on these streams, until they end
const server = mockServer();

await conformance({
  subject: inProcess(streams => server.serve(streams)),
  run: ['**/ping/*', '**/tools/*'],
});
