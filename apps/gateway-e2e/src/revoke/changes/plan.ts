import type { Random } from '../../random';

/** What is taken from a customer in a round. */
export const CHANGE_KINDS = ['revoke', 'rotate', 'bar', 'suspend'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Running and silent: it keeps its connections and answers nothing. */
export const REDIS_STATES = ['up', 'down', 'silent'] as const;
export type RedisState = (typeof REDIS_STATES)[number];

export interface PlannedRound {
  kind: ChangeKind;
  redis: RedisState;
}

/** Of twenty rounds; the operator's command takes longest. */
const OF_TWENTY: Record<ChangeKind, number> = { revoke: 8, rotate: 8, bar: 3, suspend: 1 };
const BLOCK = CHANGE_KINDS.flatMap((kind) => Array<ChangeKind>(OF_TWENTY[kind]).fill(kind));
/** For so many rounds Redis stays as it is. */
const REDIS_STAYS = { least: 3, most: 9 };

/** What is done in each round: of every twenty the same, in any order, while Redis comes and goes. */
export function planRounds(random: Random, rounds: number): PlannedRound[] {
  const kinds: ChangeKind[] = [];
  while (kinds.length < rounds) kinds.push(...random.shuffle(BLOCK));
  const states: RedisState[] = [];
  const away = random.shuffle<RedisState>(['down', 'silent']);
  for (let segment = 0; states.length < rounds; segment++) {
    const state = segment % 2 === 0 ? 'up' : (away[((segment - 1) / 2) % 2] ?? 'down');
    states.push(...Array<RedisState>(random.between(REDIS_STAYS.least, REDIS_STAYS.most)).fill(state));
  }
  return kinds.slice(0, rounds).map((kind, round) => ({ kind, redis: states[round] ?? 'up' }));
}
