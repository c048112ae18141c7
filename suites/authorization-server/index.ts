/** The scenarios for authorization servers. A file that is not listed here does not run. */

import { scenarios as authorize } from './authorize.js';
import { scenarios as clientDocuments } from './client-documents.js';
import { scenarios as clientCredentials } from './ext-client-credentials.js';
import { scenarios as dpop } from './ext-dpop.js';
import { scenarios as enterprise } from './ext-enterprise.js';
import { scenarios as metadata } from './metadata.js';
import { scenarios as proxy } from './proxy.js';
import { scenarios as refresh } from './refresh.js';
import { scenarios as registration } from './registration.js';
import { scenarios as token } from './token.js';

export const scenarios = [
  metadata,
  registration,
  authorize,
  token,
  refresh,
  clientDocuments,
  proxy,
  clientCredentials,
  dpop,
  enterprise,
].flat();
