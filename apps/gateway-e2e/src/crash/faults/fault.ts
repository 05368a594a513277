import type { Random } from '../../random';

/** What is done to the service. */
export const FAULTS = {
  gateway_killed: 'a gateway killed',
  postgres_crashed: 'PostgreSQL crashed',
  postgres_and_gateway: 'PostgreSQL crashed and a gateway killed',
  backends_ended: "the ledger connections' server processes ended",
  worker_killed: 'the worker killed',
  gateway_paused: 'a gateway stopped, for some time, and continued',
  postgres_away: 'PostgreSQL crashed and away for seconds',
} as const;

export type FaultKind = keyof typeof FAULTS;

/** Whatever takes long comes less often. */
const WEIGHTED: readonly [FaultKind, ...FaultKind[]] = [
  ...['gateway_killed', 'gateway_killed', 'gateway_killed'],
  ...['postgres_crashed', 'postgres_crashed', 'postgres_crashed'],
  ...['postgres_and_gateway', 'postgres_and_gateway'],
  ...['backends_ended', 'backends_ended'],
  ...['worker_killed', 'gateway_paused', 'gateway_paused', 'postgres_away'],
] as [FaultKind, ...FaultKind[]];

/** Which fault comes in which round: each kind once, in any order, and then any. */
export function planFaults(random: Random, rounds: number): FaultKind[] {
  const once = random.shuffle(Object.keys(FAULTS) as FaultKind[]);
  return Array.from({ length: rounds }, (_, round) => once[round] ?? random.pick(WEIGHTED));
}
