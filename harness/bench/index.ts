/**
 * `npm run bench [-- part …]`: the benchmarks. Reports medians, and ratios of alternating measurements, which
 * stay valid on a busy machine; `harness/bench/README.md` explains each figure.
 */

import { suite } from '../../suites/index.js';
import { clients, clientsStateless } from './clients.js';
import { generate } from './generate.js';
import { http, httpStateless } from './http.js';
import { judging } from './judge.js';
import { real } from './real.js';
import { type Part, Sheet, trouble } from './results-table.js';
import { fullRuns } from './run.js';
import { scale } from './scale.js';
import { start } from './start.js';
import { watch } from './watch.js';

const parts: Readonly<Record<string, Part>> = {
  start,
  run: fullRuns(suite),
  judge: judging(suite),
  generate,
  watch,
  real,
  scale,
  http,
  'http-stateless': httpStateless,
  clients,
  'clients-stateless': clientsStateless,
};

const wanted = process.argv.slice(2);
const unknown = wanted.find(name => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}". Parts: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}

const sheet = new Sheet();
const busy = trouble();
if (busy) sheet.warn(busy);
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  sheet.part(name);
  await parts[name]!(sheet);
}
sheet.table();
if (busy) sheet.warn(busy);
