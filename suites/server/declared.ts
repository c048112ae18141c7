/** What our end declares in conversations that more than one scenario shares. */

import type { JsonObject } from '../../spec/json-rpc.js';

/** The ways of asking the user and the model, each with all its kinds. */
export const everyKind: JsonObject = {
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
};
