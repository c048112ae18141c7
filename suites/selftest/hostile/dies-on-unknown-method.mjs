// Is well until it is asked for something it does not know.
import { answer, serve } from './tiny.mjs';

serve(message =>
  ['initialize', 'ping'].includes(message.method) || message.id === undefined
    ? answer(message)
    : process.exit(70),
);
