import { createRandom } from '../random';
import { planRounds, REDIS_STATES } from './changes';

const plan = (seed: string, rounds: number) => planRounds(createRandom(seed), rounds);

it('four of five rounds are revocations and rotations', () => {
  const kinds = plan('7', 1_260).map(({ kind }) => kind);
  expect(kinds).toHaveLength(1_260);
  expect(kinds.filter((kind) => kind === 'revoke' || kind === 'rotate').length).toBeGreaterThanOrEqual(1_000);
});

it.each(['1', '2', '3', '4', '5'])('Redis is up, down and silent even in a short run of seed %s', (seed) => {
  expect(new Set(plan(seed, 40).map(({ redis }) => redis))).toEqual(new Set(REDIS_STATES));
});

it('the plan depends only on its seed', () => {
  expect(plan('7', 100)).toEqual(plan('7', 100));
  expect(plan('7', 100)).not.toEqual(plan('8', 100));
});
