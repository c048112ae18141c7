/** The eras of the protocol by their ids. */

import type { EraId } from '../../../spec/revisions.js';
import type { Era } from './era.js';
import { legacy } from './legacy.js';
import { modern } from './modern.js';

const eras: Record<EraId, Era> = { legacy, modern };

export const eraOf = (id: EraId): Era => eras[id];
