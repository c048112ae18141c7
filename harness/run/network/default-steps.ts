/** What a client does over a faulty network: each kind of stream, and texts with characters of several bytes. */

import type { Script } from '../../scenario/script.js';

/** A text whose characters have one to four bytes each. */
const wide = 'a é 漢 🎉 🎉🎉🎉';

export const networkSteps: Script = [
  ['connect'],
  ['list', 'tools'],
  ['call', 'test_echo', { text: wide }],
  ['call', 'test_tool_with_progress', {}, { progress: true }],
  ['call', 'test_tool_with_logging'],
  ['call', 'test_sampling', { prompt: wide }],
  ['get', 'test_prompt_with_arguments', { arg1: wide, arg2: 'b' }],
  ['read', 'test://static-text'],
  ['close'],
];
