/** undici, loaded when first a connection is wanted: most runs speak stdio, and it takes longer to load than all of ours. */

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const undici = (): typeof import('undici') => require('undici') as typeof import('undici');
