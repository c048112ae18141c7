/** The list of reporters. */

import { badge } from './badge.js';
import { console } from './console.js';
import { github } from './github.js';
import { html } from './html.js';
import { issue } from './issue.js';
import { json } from './json.js';
import { jsonl } from './jsonl.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { profile } from './profile.js';
import type { ReporterFactory } from './reporter.js';
import { sarif } from './sarif.js';
import { tier } from './tier.js';

/** The valid names for `--reporter`. */
export const reporters = {
  console,
  json,
  jsonl,
  junit,
  html,
  markdown,
  github,
  sarif,
  issue,
  badge,
  tier,
  profile,
} satisfies Record<string, ReporterFactory>;

export type ReporterName = keyof typeof reporters;
