/** Capabilities that the harness declares in conversations that several scenarios share. */

import type { JsonObject } from '../../spec/json-rpc.js';

/** Sampling and elicitation, each with all of its parts. */
export const everyKind: JsonObject = {
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
};
