import type { SessionIdentity } from '@farebox/accounts';
import { ApiError } from '@farebox/errors';
import { requireSession, type GuardedRequest } from './session-guard';

const session: SessionIdentity = {
  sessionId: 's',
  accountId: 'a',
  deviceId: null,
  inviteStatus: 'active',
  expiresAt: new Date(2),
  now: new Date(1),
};

/** The answer of the guard, and the tokens that it looked up. */
async function guard(
  headers: GuardedRequest['headers'],
  method = 'GET',
  found: SessionIdentity | undefined = session,
) {
  const lookedUp: string[] = [];
  const outcome = await requireSession({ method, headers }, (token) => {
    lookedUp.push(token);
    return Promise.resolve(found);
  }).catch((error: unknown) => (error instanceof ApiError ? error.code : error));
  return { outcome, lookedUp };
}

describe('requireSession', () => {
  it('answers with the session of the token', async () => {
    expect(await guard({ authorization: 'Bearer st-1' })).toEqual({ outcome: session, lookedUp: ['st-1'] });
  });

  it('looks nothing up for what cannot be a session', async () => {
    for (const headers of [{}, { authorization: 'Bearer ak-1' }, { authorization: 'Basic x' }]) {
      expect(await guard(headers)).toEqual({ outcome: 'authentication_error', lookedUp: [] });
    }
    const both = { authorization: 'Bearer st-1', cookie: 'service_token=st-2' };
    expect(await guard(both)).toEqual({ outcome: 'invalid_request_error', lookedUp: [] });
  });

  it('refuses a write by cookie from elsewhere before it looks the session up', async () => {
    const headers = { cookie: 'service_token=st-1', host: 'h', origin: 'https://evil.example' };
    for (const method of ['POST', 'DELETE', 'PUT', 'PATCH']) {
      expect(await guard(headers, method)).toEqual({ outcome: 'authentication_error', lookedUp: [] });
    }
    for (const method of ['GET', 'HEAD']) expect((await guard(headers, method)).outcome).toBe(session);
  });

  it('refuses an unknown session, and an account without access', async () => {
    const headers = { authorization: 'Bearer st-1' };
    const unknown = await requireSession({ method: 'GET', headers }, () => Promise.resolve(undefined)).catch(
      (error: unknown) => error,
    );
    expect(unknown).toMatchObject({ code: 'authentication_error' });
    for (const inviteStatus of ['none', 'invited', 'suspended'] as const) {
      expect((await guard(headers, 'GET', { ...session, inviteStatus })).outcome).toBe(
        'beta_access_required',
      );
    }
  });
});
