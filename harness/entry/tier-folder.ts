/** The folders of the official suite: one for each scenario, with its `checks.json`. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TierDetail, TierResult } from '../../reports/tier.js';
import { grouped } from '../grouped.js';

/** Whether `--reporter tier=<place>` names a folder: anything but a JSON file. */
export const isTierFolder = (name: string, place: string): boolean =>
  name === 'tier' && !place.endsWith('.json');

/** @param text output of the reporter `tier` */
export function writeTierFolder(folder: string, text: string): void {
  const { details, role, timestamp } = JSON.parse(text) as TierResult;
  const time = timestamp.replace(/[:.]/g, '-');
  for (const [scenario, parts] of grouped(details, (detail: TierDetail) => detail.scenario)) {
    const own = join(folder, `${role === 'server' ? 'server-' : ''}${scenario}-${time}`);
    mkdirSync(own, { recursive: true });
    const checks = parts.flatMap(part => part.checks);
    writeFileSync(join(own, 'checks.json'), `${JSON.stringify(checks, null, 2)}\n`);
  }
}
