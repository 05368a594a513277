// An OpenID provider for tests, in a process of its own: node openid-provider.mjs <port> <redirect URI>.
// Everybody signs in under the address that they type, which the login page takes without a password.
import { Provider } from 'oidc-provider';

const [port, redirectUri] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;

/** Claims of test persons beside their address; by default it is verified. */
const CLAIMS = {
  'unverified@example.com': { email_verified: false },
  'finance@example.com': { groups: ['staff', 'viewer', 'finance'] },
  'stranger@example.com': { groups: ['staff'] },
};

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'farebox',
      client_secret: 'a secret of the tests, long enough',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code'],
    },
  ],
  cookies: { keys: ['tests'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified', 'groups'] },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: id, email_verified: true, ...CLAIMS[id.toLowerCase()] }),
  }),
  pkce: { required: () => true },
});

provider.listen(Number(port), '127.0.0.1', () => {
  console.log('{"event":"ready"}');
});
