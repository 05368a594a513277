import { isLoopback, type OpenIdConfig } from '@farebox/config';
import { isOperatorRole, OPERATOR_ROLES, type OperatorRole } from '@farebox/operators';
import * as openid from 'openid-client';

/** The state that a browser keeps between leaving for the provider and coming back. */
export interface SignInState {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The person that the provider names. */
export interface OpenIdPerson {
  /** In lower case. */
  email: string;
  /** As the claim says; null if the list of operators decides. */
  role: OperatorRole | null;
}

/** The provider knows the person, but they may not operate this service. The message is for them. */
export class NotAnOperator extends Error {}

export interface OpenIdProvider {
  /** Where to send the browser, and what it keeps meanwhile. */
  begin(): Promise<{ url: string; kept: SignInState }>;
  /** The person who comes back with `url`. Throws `NotAnOperator`, and anything for a sign-in that is not valid. */
  finish(url: URL, kept: SignInState): Promise<OpenIdPerson>;
}

/**
 * The authorization code flow with PKCE, state and nonce. Source: OpenID Connect Core 1.0, section 3.1; RFC 7636.
 * `callbackUrl` is registered at the provider.
 */
export function createOpenIdProvider(config: OpenIdConfig, callbackUrl: string): OpenIdProvider {
  let known: Promise<openid.Configuration> | undefined;
  // A provider that is away for the start, or for this sign-in, is asked again by the next one.
  const discover = (): Promise<openid.Configuration> => {
    known ??= discoverProvider(config).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    async begin() {
      const provider = await discover();
      const kept = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        codeVerifier: openid.randomPKCECodeVerifier(),
      };
      const url = openid.buildAuthorizationUrl(provider, {
        redirect_uri: callbackUrl,
        scope: 'openid email',
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(kept.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, kept };
    },
    async finish(url, { state, nonce, codeVerifier }) {
      const provider = await discover();
      const tokens = await openid.authorizationCodeGrant(provider, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('the provider sent no ID token');
      // Many providers put e-mail address and groups there alone.
      const more = provider.serverMetadata().userinfo_endpoint
        ? await openid.fetchUserInfo(provider, tokens.access_token, claims.sub)
        : {};
      return toPerson({ ...more, ...claims }, config.roleClaim);
    },
  };
}

function discoverProvider({ issuer, clientId, clientSecret }: OpenIdConfig): Promise<openid.Configuration> {
  const url = new URL(issuer);
  // Without TLS only on this machine: the function is marked as deprecated so that nobody uses it elsewhere.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const execute = isLoopback(url.origin) ? [openid.allowInsecureRequests] : [];
  return openid.discovery(url, clientId, clientSecret, undefined, { execute });
}

/** Throws `NotAnOperator`. */
export function toPerson(
  claims: Readonly<Record<string, unknown>>,
  roleClaim: string | undefined,
): OpenIdPerson {
  const { email, email_verified: isVerified } = claims;
  if (typeof email !== 'string' || email === '')
    throw new NotAnOperator('The identity provider does not say your e-mail address.');
  // Some providers leave the claim out, since they know every address; none may say that it is not verified.
  if (isVerified === false || isVerified === 'false')
    throw new NotAnOperator('The identity provider has not verified your e-mail address.');
  const role = roleClaim === undefined ? null : highestRole(claims[roleClaim]);
  if (role === undefined) throw new NotAnOperator('The identity provider gives you no role here.');
  return { email: email.toLowerCase(), role };
}

/** The highest role in a claim, which is one name or a list that may have other names. */
function highestRole(claim: unknown): OperatorRole | undefined {
  const names: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const roles = names.filter(isOperatorRole);
  return OPERATOR_ROLES.findLast((role) => roles.includes(role));
}
