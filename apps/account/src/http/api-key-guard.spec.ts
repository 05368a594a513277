import type { ApiKeyIdentity } from '@farebox/accounts';
import { createApiKeySecret } from '@farebox/auth';
import { readApiKeySecret, requireLiveKey } from './session-guard';

const identity: ApiKeyIdentity = {
  ...{ apiKeyId: 'key', accountId: 'account', version: 1, status: 'active', expiresAt: null },
  ...{ inviteStatus: 'active', cohortName: 'beta', modelPolicy: null, allowedOrigins: null },
  showsAccountLimits: true,
};
const saying = (code: string): Error => expect.objectContaining({ code }) as Error;
const PAGE = 'https://page.example';

it('a key for pages is let through from their origins alone', () => {
  const ofPages = { ...identity, allowedOrigins: [PAGE] };
  expect(requireLiveKey(ofPages, PAGE)).toBe(ofPages);
  for (const origin of [undefined, 'https://evil.example'])
    expect(() => requireLiveKey(ofPages, origin)).toThrow(saying('authentication_error'));
  expect(requireLiveKey(identity, undefined)).toBe(identity);
});

it.each([
  [undefined, 'invalid_api_key'],
  [{ ...identity, status: 'revoked' as const }, 'invalid_api_key'],
  [{ ...identity, status: 'expired' as const }, 'expired_api_key'],
  [{ ...identity, inviteStatus: 'suspended' as const }, 'beta_access_required'],
])('%p is not let through', (found, code) => {
  expect(() => requireLiveKey(found, undefined)).toThrow(saying(code));
});

it('a session is no key, and a key without its check sum is none', () => {
  const headersOf = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const secret = createApiKeySecret();
  expect(readApiKeySecret(headersOf(secret))).toBe(secret);
  expect(readApiKeySecret(headersOf('st-1'))).toBeUndefined();
  expect(() => readApiKeySecret(headersOf('ak-1'))).toThrow(saying('invalid_api_key'));
});
