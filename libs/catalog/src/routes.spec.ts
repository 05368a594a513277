import fc from 'fast-check';
import { drawRoutes, type Route, toRoutes, toRoutesText } from './catalog';

const entry = (model: string, more: { weight?: number; priority?: number } = {}) => ({
  upstream: 'u',
  model,
  ...more,
});
const namesOf = (routes: readonly Route[]): string =>
  routes.map(({ upstreamModel }) => upstreamModel).join('');

/** A seeded pseudo-random sequence, the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('routes without weights and priorities', () => {
  const routes = toRoutes([entry('a'), entry('b'), entry('c')]);

  it('are tried in file order, whatever is drawn', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 3 }), (drawn) => {
        const left = [...drawn];
        return namesOf(drawRoutes(routes, () => left.shift() ?? 0)) === 'abc';
      }),
    );
    expect(toRoutesText(routes)).toBe('u/a, u/b, u/c');
  });
});

describe('routes with weights and priorities', () => {
  it('default to weight 1 and priority 0', () => {
    const routes = toRoutes([entry('a'), entry('b', { weight: 3 }), entry('c', { priority: 1 })]);
    expect(toRoutesText(routes)).toBe(
      'u/a (priority 0, weight 1), u/b (priority 0, weight 3), u/c (priority 1, weight 1)',
    );
  });

  it('are tried by priority, lowest first, each once', () => {
    const priority = fc.integer({ min: 0, max: 3 });
    const weight = fc.integer({ min: 1, max: 1_000 });
    const entries = fc.array(fc.record({ priority, weight }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(entries, fc.integer(), (given, seed) => {
        const routes = toRoutes(given.map((more, at) => entry(String(at), more)));
        const drawn = drawRoutes(routes, seeded(seed));
        expect([...drawn].sort((a, b) => Number(a.upstreamModel) - Number(b.upstreamModel))).toEqual(routes);
        const priorities = drawn.map((route) => route.priority);
        expect(priorities).toEqual([...priorities].sort((a, b) => a - b));
      }),
    );
  });

  it('come first in proportion to their weight, and so do the rest among themselves', () => {
    const routes = toRoutes([
      entry('a', { weight: 6 }),
      entry('b', { weight: 3 }),
      entry('c', { weight: 1 }),
      entry('z', { priority: 1, weight: 1_000 }),
    ]);
    const random = seeded(15);
    const counts = new Map<string, number>();
    const draws = 20_000;
    for (let at = 0; at < draws; at++) {
      const order = namesOf(drawRoutes(routes, random));
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    // 6/10 that a is first, then 3/4 that b is second; and so on.
    const expected = { abcz: 0.45, acbz: 0.15, bacz: 0.257, bcaz: 0.043, cabz: 0.067, cbaz: 0.033 };
    expect([...counts.keys()].sort()).toEqual(Object.keys(expected));
    for (const [order, share] of Object.entries(expected))
      expect((counts.get(order) ?? 0) / draws).toBeCloseTo(share, 1.7);
  });
});
