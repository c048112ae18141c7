/** The facets of rows that faults show whose ids are composed in a loop; other faults name them where they are declared. */

import type { Deviation } from './fault.js';

const shownByFamilies: Readonly<Record<string, readonly string[]>> = {
  'elicitation-asked-undeclared': [
    'meta.capability-not-assumed#never-declared',
    'meta.missing-capability-error#asks',
    'mrtr.only-declared-kinds#elicitation',
  ],
  'elicitation-error-names-other-capability': ['meta.missing-capability-error#other-named'],
  'header-in-additional-properties': [
    'tools.x-mcp-header-statically-reachable#other-properties',
    'http-headers.custom-not-through#other-properties',
    'http-headers.custom-reachable#other-properties',
  ],
  'header-in-any-of': [
    'tools.x-mcp-header-statically-reachable#composition',
    'http-headers.custom-not-through#composition',
    'http-headers.custom-reachable#composition',
  ],
  'header-in-else': [
    'tools.x-mcp-header-statically-reachable#composition',
    'http-headers.custom-not-through#composition',
    'http-headers.custom-reachable#composition',
  ],
  'header-in-pattern-properties': [
    'tools.x-mcp-header-statically-reachable#other-properties',
    'http-headers.custom-not-through#other-properties',
    'http-headers.custom-reachable#other-properties',
  ],
  'header-mismatch-code-32602': [
    'http-headers.mismatch-code#other-code',
    'http-headers.missing-version-rejected#other-code',
    'http-headers.param-mismatch-400#other-code',
    'http-headers.version-mismatch-rejected#other-code',
  ],
  'header-mismatch-code-32603': [
    'http-headers.mismatch-code#other-code',
    'http-headers.missing-version-rejected#other-code',
    'http-headers.param-mismatch-400#other-code',
    'http-headers.version-mismatch-rejected#other-code',
  ],
  'header-name-as-list': [
    'tools.x-mcp-header-not-empty#no-text',
    'http-headers.custom-name-not-empty#no-text',
  ],
  'header-name-as-number': [
    'tools.x-mcp-header-not-empty#no-text',
    'http-headers.custom-name-not-empty#no-text',
  ],
  'header-name-null': ['tools.x-mcp-header-not-empty#no-text', 'http-headers.custom-name-not-empty#no-text'],
  'header-name-with-colon': [
    'tools.x-mcp-header-token#delimiter',
    'http-headers.custom-name-token#delimiter',
  ],
  'header-name-with-quotes': [
    'tools.x-mcp-header-token#delimiter',
    'http-headers.custom-name-token#delimiter',
  ],
  'header-name-with-slash': [
    'tools.x-mcp-header-token#delimiter',
    'http-headers.custom-name-token#delimiter',
  ],
  'header-name-with-umlaut': [
    'tools.x-mcp-header-token#not-ascii',
    'http-headers.custom-name-token#not-ascii',
  ],
  'header-of-access-token': ['tools.x-mcp-header-not-sensitive#key'],
  'header-of-apikey': ['tools.x-mcp-header-not-sensitive#key'],
  'header-of-array': [
    'tools.x-mcp-header-primitive-types#structure',
    'http-headers.custom-primitive#structure',
  ],
  'header-of-null': [
    'tools.x-mcp-header-primitive-types#only-null',
    'http-headers.custom-primitive#only-null',
  ],
  'header-of-object': [
    'tools.x-mcp-header-primitive-types#structure',
    'http-headers.custom-primitive#structure',
  ],
  'header-of-ssn': ['tools.x-mcp-header-not-sensitive#personal'],
  'logs-of-prompts-get-without-level': ['logging.no-log-level-no-messages#other-method'],
  'logs-of-resources-read-without-level': ['logging.no-log-level-no-messages#other-method'],
  'logs-of-server-discover-without-level': ['logging.no-log-level-no-messages#other-method'],
  'logs-of-tools-list-without-level': ['logging.no-log-level-no-messages#other-method'],
  'missing-field-code-32600': ['meta.missing-field-rejected#other-code'],
  'missing-field-code-32601': ['meta.missing-field-rejected#other-code'],
  'missing-field-code-32603': ['meta.missing-field-rejected#other-code'],
  'name-header-unchecked-of-prompts-get': [
    'http-headers.mismatch-rejected#name',
    'http-headers.values-case-sensitive#name-any-case',
  ],
  'name-header-unchecked-of-resources-read': ['http-headers.mismatch-rejected#name'],
  'name-header-unchecked-of-tools-call': [
    'http-headers.mismatch-rejected#name',
    'http-headers.sentinel-decoded#not-compared',
    'http-headers.values-case-sensitive#name-any-case',
  ],
  'prompts-after-discover': ['prompts.list-not-per-connection#after-discover'],
  'prompts-changed-on-call': ['prompts.list-changed-opt-in#no-subscription'],
  'question-of-elicitation-complete': ['mrtr.request-kinds#other-method'],
  'question-of-ping': ['mrtr.request-kinds#other-method'],
  'question-of-subscriptions-listen': ['mrtr.request-kinds#other-method'],
  'resources-after-discover': ['resources.list-not-per-connection#after-discover'],
  'resources-changed-on-call': ['resources.list-changed-opt-in#no-subscription'],
  'resources-delivered-unrequested': [
    'resources.list-changed-opt-in#other-filter',
    'subscriptions.only-requested-types#other-list',
  ],
  'roots-asked-undeclared': ['mrtr.only-declared-kinds#roots', 'roots.capability-checked#asked'],
  'sampling-asked-undeclared': ['meta.missing-capability-error#asks', 'mrtr.only-declared-kinds#sampling'],
  'sampling-error-names-other-capability': ['meta.missing-capability-error#other-named'],
  'tools-after-discover': [
    'stateless.no-connection-affinity#first-request-refused',
    'stateless.no-connection-context#first-request-refused',
    'tools.list-not-per-connection#after-discover',
  ],
  'tools-changed-on-call': ['tools.list-changed-opt-in#no-subscription'],
  'tools-delivered-unrequested': [
    'tools.list-changed-opt-in#other-filter',
    'subscriptions.only-requested-types#other-list',
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
