// Shakes hands and falls silent.
import { answer, serve } from './tiny.mjs';

serve(message => {
  if (message.method === 'initialize') answer(message);
});
