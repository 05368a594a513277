import { createRandom } from '../random';
import { FAULTS, planFaults } from './faults';

describe('the plan of faults', () => {
  it('contains every kind of fault in its first rounds', () => {
    const kinds = Object.keys(FAULTS);
    expect(planFaults(createRandom('7'), kinds.length).sort()).toEqual(kinds.sort());
  });

  it('depends only on its seed', () => {
    const plan = (seed: string): string[] => planFaults(createRandom(seed), 100);
    expect(plan('7')).toEqual(plan('7'));
    expect(plan('7')).not.toEqual(plan('8'));
  });
});
