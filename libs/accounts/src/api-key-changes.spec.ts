import { toNanoUsd } from '@farebox/money';
import { toApiKeyChange } from './api-key-changes';

const now = new Date('2026-11-21T12:00:00Z');
const later = new Date('2027-11-21T12:00:00Z');
const nothing = {
  name: undefined,
  monthlySpendLimitNano: undefined,
  expiresAt: undefined,
  modelPolicy: undefined,
  allowedOrigins: undefined,
  showsAccountLimits: undefined,
};

describe('toApiKeyChange', () => {
  it('leaves omitted settings as they are', () => {
    expect(toApiKeyChange(nothing, now)).toEqual({});
    expect(toApiKeyChange({ ...nothing, name: 'ci' }, now)).toEqual({ name: 'ci' });
  });

  it('clears settings that are null', () => {
    const change = toApiKeyChange(
      {
        ...nothing,
        monthlySpendLimitNano: null,
        expiresAt: null,
        modelPolicy: null,
        allowedOrigins: null,
        showsAccountLimits: null,
      },
      now,
    );
    expect(change).toEqual({
      monthlySpendLimitNano: null,
      expiresAt: null,
      lifetimeStartsAt: now,
      modelPolicyMode: null,
      modelPolicyModels: [],
      allowedOrigins: null,
      showsAccountLimits: null,
    });
  });

  it('sets given values, and counts a new expiry from now', () => {
    const change = toApiKeyChange(
      {
        ...nothing,
        monthlySpendLimitNano: toNanoUsd(5n),
        expiresAt: later,
        modelPolicy: { mode: 'block', models: ['a'] },
      },
      now,
    );
    expect(change).toEqual({
      monthlySpendLimitNano: 5n,
      expiresAt: later,
      lifetimeStartsAt: now,
      modelPolicyMode: 'block',
      modelPolicyModels: ['a'],
    });
  });
});
