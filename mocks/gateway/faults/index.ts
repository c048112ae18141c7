/** All faults of the reference gateway. */

import type { GatewayDeviation } from '../fault.js';
import { requestFaults } from './requests.js';
import { responseFaults } from './responses.js';
import { translationFaults } from './translation.js';

export const gatewayFaults: readonly GatewayDeviation[] = [
  ...requestFaults,
  ...responseFaults,
  ...translationFaults,
];
