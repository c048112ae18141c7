// A server that sends after each response another one, whose id is an object without a usable `toString`.
import { answer, send, serve } from './tiny.mjs';

serve(message => {
  // both in one chunk
  process.stdout.cork();
  answer(message);
  if (message.id !== undefined) send({ id: { toString: 1 }, result: {} });
  process.stdout.uncork();
});
