// Works, but neither end of input nor SIGTERM makes it go.
import { serve } from './tiny.mjs';

process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
serve();
