import fc from 'fast-check';
import {
  afterAdmission,
  findRefusing,
  findTightest,
  hasRoom,
  isTooLarge,
  leftOfLimit,
  LIMIT_MEASURES,
  LIMIT_WINDOWS,
  readLimitDecision,
  type LimitState,
} from './limit-states';

const amount = fc.bigInt({ min: 0n, max: 20n });
const states = fc.array(
  fc
    .record({
      measure: fc.constantFrom(...LIMIT_MEASURES),
      per: fc.constantFrom(...LIMIT_WINDOWS),
      attachedTo: fc.constantFrom('key', 'account', 'cohort', 'model'),
      isOfModel: fc.boolean(),
      most: fc.bigInt({ min: 1n, max: 20n }),
      ...{ used: amount, needed: amount },
      endsAtMs: fc.integer({ min: 1, max: 5 }),
    })
    .map((state): LimitState =>
      state.measure === 'concurrency' ? { ...state, per: undefined, endsAtMs: undefined } : state,
    ),
);
const opensAt = (state: LimitState): number => (isTooLarge(state) ? 9 : (state.endsAtMs ?? 0));

describe('of the limits that apply to a request', () => {
  it('all must have room: one more never admits what was refused', () => {
    fc.assert(
      fc.property(states, states, (some, more) => {
        const isRefused = findRefusing(some) !== undefined;
        expect(isRefused).toBe(!some.every(hasRoom));
        if (isRefused) expect(findRefusing([...some, ...more])).toBeDefined();
      }),
    );
  });

  it('the one that refuses is without room, and none without room opens later', () => {
    fc.assert(
      fc.property(states, (given) => {
        const refusing = findRefusing(given);
        if (!refusing) return;
        expect(hasRoom(refusing)).toBe(false);
        const full = given.filter((state) => !hasRoom(state));
        expect(opensAt(refusing)).toBe(Math.max(...full.map(opensAt)));
      }),
    );
  });

  it('the tightest of a measure has no more left than any other of it', () => {
    fc.assert(
      fc.property(states, fc.constantFrom(...LIMIT_MEASURES), (given, measure) => {
        const same = given.filter((state) => state.measure === measure);
        const tightest = findTightest(given, measure);
        expect(tightest === undefined).toBe(same.length === 0);
        if (!tightest) return;
        expect(same).toContain(tightest);
        for (const state of same) {
          expect(leftOfLimit(tightest) <= leftOfLimit(state)).toBe(true);
          if (leftOfLimit(tightest) === leftOfLimit(state))
            expect(opensAt(tightest)).toBeGreaterThanOrEqual(opensAt(state));
        }
      }),
    );
  });

  it('none is exceeded by a request that all have room for', () => {
    fc.assert(
      fc.property(states, (given) => {
        if (findRefusing(given)) return;
        for (const state of afterAdmission(given)) expect(state.used <= state.most).toBe(true);
      }),
    );
  });
});

describe('what the ledger writes of a decision', () => {
  it('is read', () => {
    const text = '1764172800123;tokens/minute/account/t/20000/1500/200/1764172860;concurrency//key/f/4/3/1/';
    expect(readLimitDecision(text)).toEqual({
      atMs: 1_764_172_800_123,
      states: [
        {
          ...{ measure: 'tokens', per: 'minute', attachedTo: 'account', isOfModel: true },
          ...{ most: 20_000n, used: 1_500n, needed: 200n, endsAtMs: 1_764_172_860_000 },
        },
        {
          ...{ measure: 'concurrency', per: undefined, attachedTo: 'key', isOfModel: false },
          ...{ most: 4n, used: 3n, needed: 1n, endsAtMs: undefined },
        },
      ],
    });
  });

  it('is an error in any other form', () => {
    expect(() => readLimitDecision('1;tokens/minute')).toThrow('another form');
  });
});
