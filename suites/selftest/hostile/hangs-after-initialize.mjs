// Completes the handshake, and then sends nothing.
import { answer, serve } from './tiny.mjs';

serve(message => {
  if (message.method === 'initialize') answer(message);
});
