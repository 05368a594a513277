import { ApiError } from '@farebox/errors';
import { isSameOrigin, requireOwnOrigin, requireSession, type GuardedRequest } from './session-guard';

interface Session {
  sessionId: string;
  inviteStatus: 'none' | 'invited' | 'active' | 'suspended';
}

const session: Session = { sessionId: 's', inviteStatus: 'active' };

/** The result of the guard, and the tokens that it looked up. */
async function guard(
  headers: GuardedRequest['headers'],
  method = 'GET',
  found: Session | undefined = session,
) {
  const lookedUp: string[] = [];
  const outcome = await requireSession({ method, headers }, (token) => {
    lookedUp.push(token);
    return Promise.resolve(found);
  }).catch((error: unknown) => (error instanceof ApiError ? error.code : error));
  return { outcome, lookedUp };
}

describe('requireSession', () => {
  it('returns the session of the token', async () => {
    expect(await guard({ authorization: 'Bearer st-1' })).toEqual({ outcome: session, lookedUp: ['st-1'] });
  });

  it('looks up nothing for a malformed session token', async () => {
    for (const headers of [{}, { authorization: 'Bearer ak-1' }, { authorization: 'Basic x' }]) {
      expect(await guard(headers)).toEqual({ outcome: 'authentication_error', lookedUp: [] });
    }
    const both = { authorization: 'Bearer st-1', cookie: 'service_token=st-2' };
    expect(await guard(both)).toEqual({ outcome: 'invalid_request_error', lookedUp: [] });
  });

  it('refuses a write by cookie from elsewhere before looking up the session', async () => {
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

const host = 'farebox.example';

describe('isSameOrigin', () => {
  it.each([
    [{ host, origin: 'https://farebox.example' }],
    [{ host, origin: 'http://farebox.example' }],
    [{ host: 'farebox.example:443', origin: 'https://farebox.example' }],
    [{ host: 'farebox.example:8080', origin: 'http://farebox.example:8080' }],
    [{ host: 'FAREBOX.example', origin: 'https://farebox.example' }],
    [{ host, 'sec-fetch-site': 'same-origin' }],
    [{ host, origin: 'https://farebox.example', 'sec-fetch-site': 'same-origin' }],
  ])('accepts %j', (headers) => {
    expect(isSameOrigin(headers)).toBe(true);
  });

  it.each([
    [{ host }],
    [{ origin: 'https://farebox.example' }],
    [{ host, origin: '' }],
    [{ host, origin: 'null' }],
    [{ host, origin: 'https://evil.example' }],
    [{ host, origin: 'https://farebox.example.evil.example' }],
    [{ host, origin: 'https://farebox.example@evil.example' }],
    [{ host, origin: 'https://farebox.example:8443' }],
    [{ host, origin: 'https://farebox.example/path' }],
    [{ host, origin: 'https://farebox.example https://evil.example' }],
    [{ host, origin: 'chrome-extension://farebox.example' }],
    [{ host, 'sec-fetch-site': 'none' }],
    [{ host, 'sec-fetch-site': 'same-site' }],
    [{ host, 'sec-fetch-site': 'cross-site', origin: 'https://farebox.example' }],
    [{ host, 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }],
    [{ host: 'a b', origin: 'https://farebox.example' }],
  ])('refuses %j', (headers) => {
    expect(isSameOrigin(headers)).toBe(false);
  });
});

const own = { host, origin: 'https://farebox.example', 'sec-fetch-site': 'same-origin' };
const foreign = { host, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

const isRefused = (headers: Record<string, string>, isForm: boolean): boolean => {
  try {
    requireOwnOrigin(headers, { isForm });
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'authentication_error' });
    return true;
  }
};

it('a form comes from a page of the service', () => {
  expect(isRefused(own, true)).toBe(false);
  for (const headers of [{ host }, foreign, { host, origin: 'null' }]) {
    expect(isRefused(headers, true)).toBe(true);
  }
});

it('JSON comes from a program, or from a page of the service', () => {
  for (const headers of [own, { host }]) expect(isRefused(headers, false)).toBe(false);
  for (const headers of [foreign, { host, origin: 'null' }, { host, 'sec-fetch-site': 'same-site' }]) {
    expect(isRefused(headers, false)).toBe(true);
  }
});

describe('a console elsewhere', () => {
  const consoleOrigins = ['https://console.farebox.example'];
  const listed = { host, origin: 'https://console.farebox.example', 'sec-fetch-site': 'same-site' };
  const unlisted = { ...listed, origin: 'https://www.farebox.example' };
  const change = (headers: Record<string, string>, rules = { consoleOrigins }) =>
    requireSession(
      { method: 'POST', headers: { cookie: 'service_token=st-1', ...headers } },
      () => Promise.resolve(session),
      rules,
    );

  it('may make changes by cookie if its exact origin is listed', async () => {
    expect(await change(listed)).toBe(session);
    await expect(change(unlisted)).rejects.toMatchObject({ code: 'authentication_error' });
    await expect(change(listed, { consoleOrigins: [] })).rejects.toMatchObject({
      code: 'authentication_error',
    });
  });

  it('may sign in by JSON, but not by a form', () => {
    const asked = (headers: Record<string, string>, isForm: boolean) => () => {
      requireOwnOrigin(headers, { isForm, consoleOrigins });
    };
    expect(asked(listed, false)).not.toThrow();
    expect(asked(unlisted, false)).toThrow();
    expect(asked(listed, true)).toThrow();
  });
});

it('an account without access passes only where it may', async () => {
  const suspended: Session = { sessionId: 's', inviteStatus: 'suspended' };
  const request = { method: 'DELETE', headers: { authorization: 'Bearer st-1' } };
  const find = () => Promise.resolve(suspended);
  await expect(requireSession(request, find)).rejects.toMatchObject({ code: 'beta_access_required' });
  expect(await requireSession(request, find, { needsAccess: false })).toBe(suspended);
});
