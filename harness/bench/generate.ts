/** Speed of the generation of values. */

import { generationSpeed } from '../generate/bench.js';
import type { Part } from './results-table.js';

export const generate: Part = sheet => {
  const { messagesPerSecond, invalidMessagesPerSecond, linearity } = generationSpeed();
  sheet.add('small valid messages per second', messagesPerSecond, { atLeast: 20_000 });
  sheet.add('small invalid messages per second', invalidMessagesPerSecond);
  sheet.add('an array of 20 000 / one of 2 000, elements per second', linearity, { atLeast: 0.5 });
};
