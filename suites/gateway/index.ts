/** The suite for gateways: messages that pass through, and the comparison of both sides. */

export { gatewayComparison } from './comparison.js';
export { gatewaySteps } from './steps.js';
