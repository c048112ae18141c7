// Responds to known requests, and hangs on all others. Writes the ids of its processes to the file given as
// argument.
import { appendFileSync } from 'node:fs';
import { answer, serve } from './tiny.mjs';

const [file] = process.argv.slice(2);
if (file) appendFileSync(file, `${process.pid}\n`);

serve(message => {
  if (['initialize', 'ping'].includes(message.method)) answer(message);
});
