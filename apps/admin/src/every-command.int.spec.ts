import { join } from 'node:path';
import { verifyLedger } from '@farebox/ledger';
import pg from 'pg';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';
import { allCommands } from '../test/all-commands';
import { COMMAND_CASES, given, givenClosedMonths } from '../test/command-cases';

const CATALOG_FILE = join(__dirname, '../../../config/catalog.yaml');
/** API keys, session tokens and the tokens of links. */
const SECRET = /\b(?:ak|st|lt)-[0-9A-Za-z_-]{8}/;

let harness: AdminHarness;
beforeAll(async () => {
  harness = await openAdminHarness();
  await givenClosedMonths(harness);
});
afterAll(async () => {
  expect((await verifyLedger(harness.pool)).differences).toEqual([]);
  await harness.close();
});

const ALL_COMMANDS = allCommands();

interface LogRow {
  operator: string;
  action: string;
  target: string | null;
  outcome: string;
  details: Record<string, unknown>;
}

async function readLog(): Promise<LogRow[]> {
  const { rows } = await harness.pool.query<LogRow>(
    'SELECT operator, action, target, outcome, details FROM operator_action ORDER BY id',
  );
  return rows;
}

it('every command of the program has a case, and every case a command', () => {
  expect(Object.keys(COMMAND_CASES).sort()).toEqual([...ALL_COMMANDS].sort());
});

describe.each(ALL_COMMANDS)('admin %s', (words) => {
  it('has a row in the audit log if it changes something, and none if it only reads', async () => {
    const known = COMMAND_CASES[words];
    if (!known) throw new Error(`test/command-cases.ts has no case of "${words}"`);
    const { effect, outcomes = ['done'], mayFail = false } = known;
    const args = await known.args(await given(harness, CATALOG_FILE));
    const all = [...words.split(' '), ...args, '--by', 'ada', '--json'];
    const before = await readLog();
    const { exitCode, err } = await harness.admin(...all);
    expect(err).toBe('');
    expect(exitCode).toBeLessThanOrEqual(mayFail ? 1 : 0);

    const written = (await readLog()).slice(before.length);
    const expected = effect === 'changes' ? outcomes : [];
    expect(written.map(({ operator, action, outcome }) => ({ operator, action, outcome }))).toEqual(
      expected.map((outcome) => ({ operator: 'ada', action: words, outcome })),
    );
    expect(JSON.stringify(written)).not.toMatch(SECRET);
  });
});

describe.each(['account fund', 'account adjust', 'account collect', 'review resolve'])(
  'admin %s',
  (words) => {
    it('moves money in one call, since requests wait for the lock of an account', async () => {
      const known = (await COMMAND_CASES[words]?.args(await given(harness, CATALOG_FILE))) ?? [];
      // Each reference is used once.
      const args = known.map((arg) => (/^(wire|case)-1$/.test(arg) ? `${arg}-again` : arg));
      const texts: string[] = [];
      const send = Reflect.get(pg.Client.prototype, 'query') as (...asked: unknown[]) => unknown;
      const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
        this: pg.Client,
        ...asked: unknown[]
      ) {
        const [first] = asked;
        texts.push(typeof first === 'string' ? first : ((first as { text?: string }).text ?? ''));
        return Reflect.apply(send, this, asked) as never;
      });
      try {
        const { exitCode } = await harness.admin(...words.split(' '), ...args, '--by', 'ada', '--json');
        expect(exitCode).toBe(0);
      } finally {
        spy.mockRestore();
      }
      expect(
        texts.filter((text) => /ledger_(top_up|adjust|collect_owed|resolve_review)\(/.test(text)),
      ).toHaveLength(1);
      expect(texts).not.toContain('BEGIN');
    });
  },
);

it('an existing account invited with a credit gets it in one call too', async () => {
  const args = ['account', 'invite', '--email', 'twice@example.com', '--by', 'ada', '--json'];
  expect(await harness.admin(...args)).toMatchObject({ exitCode: 0 });
  const before = await readLog();
  expect(await harness.admin(...args, '--credit', '2')).toMatchObject({ exitCode: 0 });
  expect(await harness.admin(...args, '--credit', '2')).toMatchObject({ exitCode: 0 });
  expect((await readLog()).slice(before.length).map(({ details }) => details['credit'])).toEqual([
    '2.000000000',
    null,
    null,
  ]);
});
