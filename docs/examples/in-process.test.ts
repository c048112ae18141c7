import { inProcess, mockServer } from 'mcp-conform';
import { conformance } from 'mcp-conform/vitest';

// replace the mock by your server: it serves these streams until they end
const server = mockServer();

await conformance({
  subject: inProcess(streams => server.serve(streams)),
  run: ['**/ping/*', '**/tools/*'],
});
