import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  exportedAsyncFunctions,
  importedFrom,
  queriesIn,
  takesAccount,
  unboundStatements,
  type Source,
} from '../test/bound-by-account';

const LIBS = ['accounts', 'billing', 'ledger', 'mail'];
const PACKAGES = new Set(LIBS.map((name) => `@farebox/${name}`));

/** Callers without a session, and Stripe: the account is not known before these are called. Roots are public. */
const WITHOUT_SESSION = {
  useCases: ['requestLink', 'spendCode', 'spendLink', 'receivePaymentEvent', 'listPublicRoots'],
  ofLibs: [
    ...['findSession', 'findSignInLink', 'spendSignInCode', 'spendSignInLink', 'takeAttempt'],
    ...['askForSignInMail', 'notePaymentEvent', 'identifyApiKey', 'listRoots'],
  ],
};

/** Exceptions, with their reasons. */
const UNBOUND = {
  'assert-account-role.ts': 'asks what its own role may do',
};

/** Files whose statements read and change data of one account. */
const OF_AN_OWNER = new Set([
  'api-keys.ts',
  'api-key-changes.ts',
  'devices.ts',
  'playground-key.ts',
  'sessions.ts',
]);

/** Look-ups of an owner by secret or id. */
const ASK_WHOSE = [
  'FIND_SESSION',
  'IDENTIFY',
  'findKeyOwners',
  'findOwnerOfApiKey',
  'findOwnerOfDevice',
  'findOwnerOfSession',
];

function sourcesIn(folder: string): Source[] {
  const root = path.resolve(__dirname, folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
}

const own = sourcesIn('.');
const useCases = sourcesIn('use-cases').flatMap(exportedAsyncFunctions);
const nameOf = (declaration: (typeof useCases)[number]): string => declaration.name?.text ?? '';

describe('by construction', () => {
  it('no use case of a session can be called without the account as its first argument', () => {
    const unbound = useCases.filter((useCase) => !takesAccount(useCase, 1)).map(nameOf);
    expect(unbound.sort()).toEqual([...WITHOUT_SESSION.useCases].sort());
    expect(useCases.length).toBeGreaterThan(12);
  });

  it('no library function that reaches the database can be called without the account', () => {
    const imported = new Set(own.flatMap((source) => importedFrom(source, PACKAGES)));
    const declared = LIBS.flatMap((name) => sourcesIn(`../../../libs/${name}/src`)).flatMap(
      exportedAsyncFunctions,
    );
    const called = declared.filter((declaration) => imported.has(nameOf(declaration)));
    const unbound = called.filter((declaration) => !takesAccount(declaration, 2)).map(nameOf);
    expect(unbound.sort()).toEqual([...WITHOUT_SESSION.ofLibs].sort());
    expect(called.length).toBeGreaterThan(WITHOUT_SESSION.ofLibs.length + 10);
  });

  it('the service has no queries of its own', () => {
    const asking = own.filter((source) => queriesIn(source).length > 0).map(({ file }) => file);
    expect(asking.sort()).toEqual(Object.keys(UNBOUND).sort());
    expect(own.filter(({ text }) => /\bprisma\b/.test(text))).toEqual([]);
  });

  it("every access to an owner's data names the account", () => {
    const looks = sourcesIn('../../../libs/accounts/src').filter(({ file }) => OF_AN_OWNER.has(file));
    expect(looks).toHaveLength(OF_AN_OWNER.size);
    expect(looks.flatMap(unboundStatements).sort()).toEqual(ASK_WHOSE);
  });
});

describe('the check itself', () => {
  const source = (text: string): Source => ({ file: 'x.ts', text });

  it.each([
    'const FIND = "SELECT id FROM api_key WHERE id = $1";',
    'const FIND = "SELECT id FROM api_key";',
    'const FIND = "SELECT id FROM api_key WHERE account_id = $2 AND id = $1";',
    'const FIND = "SELECT id FROM device WHERE account_id <> $1";',
    'function find() { return db.query(`UPDATE device SET name = $1 WHERE id = $2`); }',
    'function find() { return db.query(`DELETE FROM account_session WHERE ${IS_LIVE}`); }',
    'const FIND = "INSERT INTO api_key (id, name) VALUES ($1, $2)";',
    'const FIND = `WITH a AS (UPDATE device SET name = $1) SELECT FROM b WHERE x.account_id = y.account_id`;',
  ])('finds %s', (text) => {
    expect(unboundStatements(source(text))).toHaveLength(1);
  });

  it.each(['pool.query("SELECT 1")', 'prisma.$queryRaw`SELECT 1`', 'prisma.$executeRawUnsafe("SELECT 1")'])(
    'finds the own query in %s',
    (text) => {
      expect(queriesIn(source(text))).toHaveLength(1);
    },
  );

  it.each([
    'const FIND = "SELECT id FROM api_key WHERE account_id = $1 AND id = $2";',
    'const FIND = `SELECT id FROM device d WHERE d.account_id = $1 AND ${IS_LIVE}`;',
    'const MAKE = "INSERT INTO device (account_id, id, name) VALUES ($1, $2, $3)";',
    'db.query(`${RECORD} AND k.id = $3`)',
    'new Map().get(1)',
  ])('accepts %s', (text) => {
    expect(unboundStatements(source(text))).toEqual([]);
  });

  it('recognises the account by name, type and position', () => {
    const takes = (parameters: string): boolean => {
      const [declaration] = exportedAsyncFunctions(source(`export async function f(${parameters}) {}`));
      return declaration !== undefined && takesAccount(declaration, 2);
    };
    expect(takes('accountId: string, pool: Pool')).toBe(true);
    expect(takes('pool: Pool, accountId: string')).toBe(true);
    for (const parameters of [
      'pool: Pool',
      'accountId?: string',
      'accountId: string | undefined',
      'a, b, accountId: string',
    ])
      expect(takes(parameters)).toBe(false);
  });
});
