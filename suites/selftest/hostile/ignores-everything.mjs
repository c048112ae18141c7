// A server that conforms, but exits neither at the end of its input nor on SIGTERM.
import { serve } from './tiny.mjs';

process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
serve();
