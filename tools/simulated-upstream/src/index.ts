export { vectorOf } from './embeddings';
export { UPSTREAM_CANARIES } from './behaviours';
export { SIMULATED_MODELS, TOKENS_BEFORE_FAULT } from './behaviours';
export type { ReceivedRequest } from './server';
export { startSimulatedUpstream, type SimulatedUpstream, type SimulatedUpstreamOptions } from './server';
