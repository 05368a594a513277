import type { Quote } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import type { Caller } from '../identity/api-keys';
import { noRoomErrorBy } from './no-room';

const caller = {
  ...{ accountId: 'account', apiKeyId: 'key', version: 1, cohortName: 'beta', showsAccountLimits: true },
} as Caller;
const none = { outcome: 'insufficient_funds', availableNano: toNanoUsd(8n) } as const;
const held: Quote = {
  limits: undefined,
  ...{ outcome: 'insufficient_funds', amountNano: toNanoUsd(9n), balanceNano: toNanoUsd(38n) },
  ...{ heldNano: toNanoUsd(30n), running: 2, runningNano: toNanoUsd(30n), at: new Date(0) },
  day: {
    ...{ mostNano: toNanoUsd(99n), spentNano: toNanoUsd(0n), heldNano: toNanoUsd(30n) },
    ...{ requests: 2, mostRequests: 9 },
  },
  keyMonth: { mostNano: undefined, spentNano: toNanoUsd(0n), heldNano: toNanoUsd(30n) },
};

describe('the held amount in a refusal for lack of room', () => {
  it('is read once for all waiting refusals of a key, and again for the next', async () => {
    let reads = 0;
    const refuse = noRoomErrorBy(() => {
      reads++;
      return Promise.resolve(held);
    });
    const errors = await Promise.all(Array.from({ length: 50 }, () => refuse(caller, none, toNanoUsd(9n))));
    expect(reads).toBe(1);
    for (const { code, publicMessage } of errors) {
      expect(code).toBe('insufficient_funds');
      expect(publicMessage).toContain('0.000000030 USD is held by 2 running requests');
    }
    await refuse({ ...caller, apiKeyId: 'other' }, none, toNanoUsd(9n));
    await refuse(caller, none, toNanoUsd(9n));
    expect(reads).toBe(3);
  });

  it.each(['daily_spend_cap', 'abandonment_at_risk'] as const)(
    "is preceded by the key's own month for %s if the key does not show the account's limits",
    async (outcome) => {
      const keyMonth = { mostNano: toNanoUsd(60n), spentNano: toNanoUsd(10n), heldNano: toNanoUsd(30n) };
      const refuse = noRoomErrorBy(() => Promise.resolve({ ...held, keyMonth }));
      const overDay = { outcome, leftNano: toNanoUsd(8n) };
      const told = async (neededNano: bigint, showsAccountLimits: boolean) =>
        (await refuse({ ...caller, showsAccountLimits }, overDay, toNanoUsd(neededNano))).code;
      expect(await told(21n, false)).toBe('spending_limit_exceeded');
      expect(await told(20n, false)).toBe('rate_limit_error');
      expect(await told(21n, true)).toBe('rate_limit_error');
    },
  );

  it('is omitted if it cannot be read', async () => {
    const refuse = noRoomErrorBy(() => Promise.reject(new Error('the database is away')));
    const { code, publicMessage } = await refuse(caller, none, toNanoUsd(9n));
    expect([code, publicMessage.includes('held')]).toEqual(['insufficient_funds', false]);
  });
});
