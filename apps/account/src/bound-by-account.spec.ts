import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  exportedAsyncFunctions,
  importedFrom,
  takesAccount,
  unboundQueries,
  type Source,
} from './bound-by-account.stand';

const LIBS = ['accounts', 'ledger', 'invoices', 'outbox', 'payments'];
const PACKAGES = new Set(LIBS.map((name) => `@farebox/${name}`));

/** They serve who has no session yet, and Stripe: no account is known before they are called. */
const WITHOUT_SESSION = {
  useCases: ['requestLink', 'spendLink', 'receivePaymentEvent'],
  ofLibs: [
    ...['findSession', 'findSignInLink', 'spendSignInLink', 'takeAttempt'],
    ...['askForSignInMail', 'applyPaymentEvent'],
  ],
};

/** What may ask otherwise, and why. */
const UNBOUND = {
  'assert-account-role.ts': 'asks what its own role may do',
};

/** Where Prisma reads and changes what belongs to one account. */
const OF_AN_OWNER = new Set(['api-keys.ts', 'api-key-changes.ts', 'devices.ts']);

/** SQL is not looked into: its functions take the account, which the test before this one sees to. */
const isStatement = (query: string): boolean => /^\w+\.query\b/.test(query);

function sourcesIn(folder: string): Source[] {
  const root = path.resolve(__dirname, folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(spec|stand|d)\.ts$/.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
}

const own = sourcesIn('.');
const useCases = sourcesIn('use-cases').flatMap(exportedAsyncFunctions);
const nameOf = (declaration: (typeof useCases)[number]): string => declaration.name?.text ?? '';

describe('by construction', () => {
  it('no use case of a session can be called without the account, which comes first', () => {
    const unbound = useCases.filter((useCase) => !takesAccount(useCase, 1)).map(nameOf);
    expect(unbound.sort()).toEqual([...WITHOUT_SESSION.useCases].sort());
    expect(useCases.length).toBeGreaterThan(12);
  });

  it('nothing of a library that reaches the database can be called without the account', () => {
    const imported = new Set(own.flatMap((source) => importedFrom(source, PACKAGES)));
    const declared = LIBS.flatMap((name) => sourcesIn(`../../../libs/${name}/src`)).flatMap(
      exportedAsyncFunctions,
    );
    const called = declared.filter((declaration) => imported.has(nameOf(declaration)));
    const unbound = called.filter((declaration) => !takesAccount(declaration, 2)).map(nameOf);
    expect(unbound.sort()).toEqual([...WITHOUT_SESSION.ofLibs].sort());
    expect(called.length).toBeGreaterThan(WITHOUT_SESSION.ofLibs.length + 10);
  });

  it('the service has no query of its own', () => {
    const unbound = own.filter((source) => unboundQueries(source).length > 0).map(({ file }) => file);
    expect(unbound.sort()).toEqual(Object.keys(UNBOUND).sort());
    expect(own.filter(({ text }) => /\bprisma\b/.test(text))).toEqual([]);
  });

  it("every look at what is an owner's names the account", () => {
    const looks = sourcesIn('../../../libs/accounts/src').filter(({ file }) => OF_AN_OWNER.has(file));
    expect(looks).toHaveLength(OF_AN_OWNER.size);
    expect(looks.flatMap(unboundQueries).filter((query) => !isStatement(query))).toEqual([]);
  });
});

describe('what is held against that', () => {
  const source = (text: string): Source => ({ file: 'x.ts', text });

  it.each([
    'prisma.apiKey.findFirst({ where: { id } })',
    'clients.prisma.device.updateMany({ where: { id: accountId }, data: { accountId } })',
    'tx.device.findMany()',
    'tx.device.findMany(filter)',
    'prisma.account.findUnique({ where: { id } })',
    'prisma.apiKey.findFirst({ where: { accountId: otherId, id } })',
    'const owned = { where: { id } }; prisma.apiKey.findFirst(owned)',
    'pool.query("SELECT 1")',
    'prisma.$queryRaw`SELECT 1`',
    'prisma.$executeRawUnsafe("SELECT 1")',
  ])('finds %s', (text) => {
    expect(unboundQueries(source(text))).toHaveLength(1);
  });

  it.each([
    'prisma.apiKey.findFirst({ where: { accountId, id } })',
    'prisma.device.create({ data: { accountId, name } })',
    'prisma.account.findUnique({ where: { id: accountId } })',
    'const owned = { where: { accountId, id } }; clients.prisma.apiKey.findFirst(owned)',
    'new Map().get(1)',
  ])('lets %s through', (text) => {
    expect(unboundQueries(source(text))).toEqual([]);
  });

  it('knows the account by its name, its type and its place', () => {
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
