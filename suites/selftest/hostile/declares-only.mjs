// A server that declares resources and knows none of their methods.
import { answer, send, serve } from './tiny.mjs';

const serverInfo = { name: 'declares-only', version: '1' };

serve(message => {
  if (message.method !== 'initialize') answer(message);
  else
    send({
      id: message.id,
      result: { protocolVersion: '2025-06-18', capabilities: { resources: {} }, serverInfo },
    });
});
