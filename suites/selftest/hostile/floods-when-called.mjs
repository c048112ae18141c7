// A server that conforms until a request has an unknown method, and then writes invalid lines without end.
import { answer, serve } from './tiny.mjs';

const block = 'not a message\n'.repeat(10_000);
const more = () => {
  while (process.stdout.write(block));
  process.stdout.once('drain', more);
};
process.stdout.on('error', () => process.exit(1));
serve(message =>
  ['initialize', 'ping'].includes(message.method) || message.id === undefined ? answer(message) : more(),
);
