export { vectorOf } from './embeddings';
export { UPSTREAM_CANARIES } from './behaviours';
export { SIMULATED_MODELS, TOKENS_BEFORE_FAULT } from './behaviours';
export { type SimulatedUpstream, type SimulatedUpstreamOptions, startSimulatedUpstream } from './server';
export type { ReceivedRequest } from './exchange';
