import { readApiKeySecret, requireAccess, requireLiveKey } from './api-key-guard';
import { createApiKeySecret } from './credentials';

const identity = { apiKeyId: 'key', status: 'active' as const, allowedOrigins: null };
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
])('%p is refused', (found, code) => {
  expect(() => requireLiveKey(found, undefined)).toThrow(saying(code));
});

it.each(['none', 'invited', 'suspended'])('an account that is %s has no access', (inviteStatus) => {
  expect(() => {
    requireAccess({ inviteStatus });
  }).toThrow(saying('beta_access_required'));
});

it('a session is not accepted as a key, nor is a key without its checksum', () => {
  const headersOf = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const secret = createApiKeySecret();
  expect(readApiKeySecret(headersOf(secret))).toBe(secret);
  expect(readApiKeySecret(headersOf('st-1'))).toBeUndefined();
  expect(() => readApiKeySecret(headersOf('ak-1'))).toThrow(saying('invalid_api_key'));
});
