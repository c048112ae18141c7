// All behaviours of servers, by name. The runner reads `what`, `over` (places: transport and era), `shows` (what the
// report says) and `options` (of the command line); the rest are hooks of server.mjs.
import { authorization } from './server-authorization.mjs';
import { bytes } from './server-bytes.mjs';
import { features } from './server-features.mjs';
import { http } from './server-http.mjs';
import { messages } from './server-messages.mjs';
import { processes } from './server-processes.mjs';
import { stateless } from './server-stateless.mjs';

export const serverBehaviours = {
  polite: { what: 'has no hostile behaviour', over: ['stdio', 'stdio new', 'http', 'http new', 'sse'] },
  ...processes,
  ...bytes,
  ...messages,
  ...features,
  ...http,
  ...stateless,
  ...authorization,
};
