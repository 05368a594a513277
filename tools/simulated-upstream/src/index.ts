export { UPSTREAM_CANARIES } from './canaries';
export { SIMULATED_MODELS, TOKENS_BEFORE_FAULT } from './behaviours';
export type { ReceivedRequest } from './request-log';
export { startSimulatedUpstream, type SimulatedUpstream, type SimulatedUpstreamOptions } from './server';
