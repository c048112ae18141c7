import { examples as batch } from './batch.js';
import type { ExampleTable } from './example.js';
import { examples as jsonRpc } from './json-rpc.js';
import { examples as stdio } from './stdio.js';

export const examples: ExampleTable = { ...jsonRpc, ...batch, ...stdio };
