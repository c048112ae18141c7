/** The passive monitor: every rule, judging any recorded conversation. */

import type { Rule } from '../../harness/rule.js';
import { rules as batch } from './batch.js';
import { rules as jsonRpc } from './json-rpc.js';
import { rules as stdio } from './stdio.js';

export const rules: readonly Rule[] = [...jsonRpc, ...batch, ...stdio];
