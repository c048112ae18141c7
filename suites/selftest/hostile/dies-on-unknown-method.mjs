// A server that conforms until a request has an unknown method.
import { answer, serve } from './tiny.mjs';

serve(message =>
  ['initialize', 'ping'].includes(message.method) || message.id === undefined
    ? answer(message)
    : process.exit(70),
);
