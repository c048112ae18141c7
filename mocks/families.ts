/** The facets of rows that faults show whose ids are composed in a loop; other faults name them where they are declared. */

import type { Deviation } from './fault.js';

const shownByFamilies: Readonly<Record<string, readonly string[]>> = {
  'tools-after-discover': [
    'stateless.no-connection-affinity#first-request-refused',
    'stateless.no-connection-context#first-request-refused',
  ],
  'unsupported-version-as-invalid-params': ['versioning.unsupported-version-error#other-code'],
  'unsupported-version-as-invalid-request': ['versioning.unsupported-version-error#other-code'],
  'unsupported-version-lists-a-text': ['versioning.unsupported-version-error#no-supported'],
  'unsupported-version-lists-nothing': ['versioning.unsupported-version-error#supported-empty'],
  'unsupported-version-lists-requested': ['versioning.unsupported-version-error#lists-requested'],
  'unsupported-version-requested-as-number': ['versioning.unsupported-version-error#requested-no-text'],
  'unsupported-version-without-requested': ['versioning.unsupported-version-error#no-requested'],
};

/** The same deviations, with the facets that the table has for them. */
export const withFamilies = <D extends Deviation<object>>(deviations: readonly D[]): D[] =>
  deviations.map(deviation =>
    deviation.id in shownByFamilies ? { ...deviation, shows: shownByFamilies[deviation.id]! } : deviation,
  );
