import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, ServiceProcess, waitForHttp } from '@farebox/local-services';
import { SHELL_VERBS, VERB_RIGHTS } from '@farebox/verbs';
import { openAdminHarness, runInside, type AdminHarness, type Ran } from '../test/admin-harness';
import { COMMAND_CASES, given, givenClosedMonths } from '../test/command-cases';

const CATALOG_FILE = join(__dirname, '../../../config/catalog.yaml');
const BUNDLE = join(__dirname, '../../../dist/operator/main.js');

// The operator service with its own login of the database, and the command with a key to it.

let harness: AdminHarness;
let service: ServiceProcess;
let url: string;
/** The secret of an owner's key. */
let key: string;

beforeAll(async () => {
  if (!existsSync(BUNDLE))
    throw new Error('dist/operator/main.js is missing: build it with "npx nx build operator".');
  harness = await openAdminHarness();
  await givenClosedMonths(harness);
  const port = await freePort();
  url = `http://127.0.0.1:${String(port)}`;
  service = ServiceProcess.start({
    name: 'operator',
    args: [BUNDLE],
    env: {
      ...harness.environment,
      DATABASE_URL: harness.operatorUrl,
      FAREBOX_OPERATOR_PORT: String(port),
      FAREBOX_OPERATOR_URL: url,
    },
  });
  await service.until(waitForHttp(`${url}/readyz`, Infinity));
  key = await givenKey('owner');
});
afterAll(async () => {
  await service.stop();
  await harness.close();
});

async function givenKey(role: string, ...more: string[]): Promise<string> {
  const args = ['management-key', 'create', '--name', `the ${role}`, '--role', role, ...more];
  return String((await harness.adminJson(...args))['key']);
}

/** The command has the key, and no database. */
function overApi(secret: string, ...args: string[]): Promise<Ran> {
  return runInside({ FAREBOX_OPERATOR_URL: url, FAREBOX_MANAGEMENT_KEY: secret }, args);
}

async function readLog(): Promise<unknown[]> {
  const { rows } = await harness.pool.query<Record<string, unknown>>(
    'SELECT operator, via, host(network) AS network, action, outcome FROM operator_action ORDER BY id',
  );
  return rows;
}

const VERBS_OF_KEYS = Object.keys(VERB_RIGHTS).filter((words) => !VERB_RIGHTS[words]?.peopleOnly);

describe.each(VERBS_OF_KEYS)('admin %s over the API', (words) => {
  it('does the same as with the database, and is logged under the name of the key', async () => {
    const known = COMMAND_CASES[words];
    if (!known) throw new Error(`test/command-cases.ts has no case of "${words}"`);
    const args = await known.args(await given(harness, CATALOG_FILE));
    const before = await readLog();
    const { exitCode, err, out } = await overApi(key, ...words.split(' '), ...args, '--json');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(JSON.parse(out)).toBeInstanceOf(Object);
    const outcomes = known.effect === 'changes' ? (known.outcomes ?? ['done']) : [];
    expect((await readLog()).slice(before.length)).toEqual(
      outcomes.map((outcome) => ({
        ...{ operator: 'key the owner', via: 'key', network: '127.0.0.0', action: words },
        outcome,
      })),
    );
  });
});

it.each([...SHELL_VERBS])('admin %s says that it needs the database', async (words) => {
  const args = (await COMMAND_CASES[words]?.args(await given(harness, CATALOG_FILE))) ?? [];
  const { exitCode, err } = await overApi(key, ...words.split(' '), ...args);
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: `"${words}" works with the database alone: unset FAREBOX_MANAGEMENT_KEY, and set DATABASE_URL.\n`,
  });
});
