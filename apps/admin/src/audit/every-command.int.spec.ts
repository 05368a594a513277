import { verifyLedger } from '@farebox/ledger';
import { join } from 'node:path';
import { openAdminStand, type AdminStand } from '../admin.stand';
import { allCommands } from '../program-tree.stand';
import { COMMAND_CASES, given, givenClosedMonths } from './command-cases.stand';

const CATALOG_FILE = join(__dirname, '../../../../config/catalog.yaml');
/** API keys, session tokens and the tokens of links. */
const SECRET = /\b(?:ak|st|lt)-[0-9A-Za-z_-]{8}/;

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand();
  await givenClosedMonths(stand);
});
afterAll(async () => {
  expect((await verifyLedger(stand.pool)).differences).toEqual([]);
  await stand.close();
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
  const { rows } = await stand.pool.query<LogRow>(
    'SELECT operator, action, target, outcome, details FROM operator_action ORDER BY id',
  );
  return rows;
}

it('every command of the program has a case, and every case a command', () => {
  expect(Object.keys(COMMAND_CASES).sort()).toEqual([...ALL_COMMANDS].sort());
});

describe.each(ALL_COMMANDS)('admin %s', (words) => {
  it('leaves its row in the audit log where it changes something, and none where it reads', async () => {
    const known = COMMAND_CASES[words];
    if (!known) throw new Error(`audit/command-cases.stand.ts has no case of "${words}"`);
    const { effect, outcomes = ['done'], mayFail = false } = known;
    const args = await known.args(await given(stand, CATALOG_FILE));
    const all = [...words.split(' '), ...args, '--by', 'ada', '--json'];
    const before = await readLog();
    const { exitCode, err } = await stand.admin(...all);
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
