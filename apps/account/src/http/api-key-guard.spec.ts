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

it('a key for web pages is accepted from its origins only', () => {
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
])('%p is refused', (found, code) => {
  expect(() => requireLiveKey(found, undefined)).toThrow(saying(code));
});

it('a session is not accepted as a key, nor is a key without its checksum', () => {
  const headersOf = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const secret = createApiKeySecret();
  expect(readApiKeySecret(headersOf(secret))).toBe(secret);
  expect(readApiKeySecret(headersOf('st-1'))).toBeUndefined();
  expect(() => readApiKeySecret(headersOf('ak-1'))).toThrow(saying('invalid_api_key'));
});
