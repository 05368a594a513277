import fc from 'fast-check';
import { createUuidV7Source, fromPublicId, toPublicId, uuidV7 } from './ids';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('uuidV7', () => {
  it('has the layout of RFC 9562', () => {
    for (let i = 0; i < 5_000; i++) expect(uuidV7()).toMatch(UUID_V7);
  });

  it('never goes backwards, even beyond 4,096 per millisecond or when the clock does', () => {
    let nowMs = 1_800_000_000_000;
    const next = createUuidV7Source(() => nowMs);
    const ids: string[] = [];
    for (let i = 0; i < 10_000; i++) {
      if (i === 9_000) nowMs -= 5_000;
      ids.push(next());
    }
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('public ids', () => {
  it('survive a round trip, and keep the order of the ids', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(fromPublicId('acct', toPublicId('acct', a))).toBe(a);
        expect(toPublicId('key', a) < toPublicId('key', b)).toBe(a < b);
      }),
    );
  });

  it.each([
    'acct_',
    'key_01jd0000000000000000000000',
    'acct_01JD0000000000000000000000',
    'acct_81jd0000000000000000000000',
    'acct_01jd000000000000000000000u',
    'acct_01jd00000000000000000000000',
    "acct_' OR 1=1 --00000000000000",
  ])('refuses %s', (text) => {
    expect(fromPublicId('acct', text)).toBeUndefined();
  });
});
