/** The eras of the protocol by their ids. */

import type { EraId } from '../../../spec/revisions.js';
import type { Era } from './era.js';
import { legacy } from './legacy.js';
import { modern } from './modern.js';

const eras: Record<EraId, Era> = { legacy, modern };

/** The methods of the first request, of all eras. */
export const openings: ReadonlySet<string> = new Set(Object.values(eras).map(era => era.opensWith));

export const eraOf = (id: EraId): Era => eras[id];
