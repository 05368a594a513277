import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, workspaceRoot } from '@farebox/local-services';
import pg from 'pg';
import { createLocalFarebox, type LocalFarebox } from '../../test/local-farebox-harness';
import { type LocalFile } from './state-folder';

const run = promisify(execFile);

let farebox: LocalFarebox;

beforeEach(async () => {
  farebox = await createLocalFarebox();
});

afterEach(async () => {
  await farebox.remove();
});

async function answerOf(local: LocalFile, route: string, token: string, body?: object): Promise<unknown> {
  const response = await fetch(`${local.base_url}${route}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}

const balanceOf = (local: LocalFile): Promise<unknown> =>
  answerOf(local, '/v1/billing/balance', local.session_token);

const question = { model: 'farebox-small', messages: [{ role: 'user', content: 'Hello' }] };

function listens(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number.parseInt(port, 10), hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

async function anythingListens(local: LocalFile): Promise<boolean> {
  const urls = [
    ...[local.base_url, local.gateway_url, local.account_url],
    ...[local.simulated_upstream_url, local.database_url],
  ];
  return (await Promise.all(urls.map(listens))).some(Boolean);
}

async function totalsOf(local: LocalFile): Promise<{ requests: number }> {
  return (
    (await answerOf(local, '/v1/usage/summary', local.session_token)) as { totals: { requests: number } }
  ).totals;
}

/** The connections of the embedded database, as `role application`. */
async function sessionsIn(local: LocalFile): Promise<string[]> {
  const owner = new pg.Client({ connectionString: local.database_url });
  await owner.connect();
  const { rows } = await owner.query<{ session: string }>(
    `SELECT DISTINCT usename || ' ' || application_name AS session FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await owner.end();
  return rows.map((row) => row.session);
}

// A start takes ten seconds of a processor: these tests continue with the state of the one before.
describe('on one state folder, started again and again', () => {
  let shared: LocalFarebox;
  let running: Awaited<ReturnType<LocalFarebox['start']>> | undefined;

  beforeAll(async () => {
    shared = await createLocalFarebox();
  });
  afterAll(async () => {
    await shared.remove();
  });

  const given = async () => (running ??= await shared.start());
  const startAgain = async (options?: Parameters<LocalFarebox['start']>[0]) =>
    (running = await shared.start(options));

  it('gives the demo account a month of usage, and the books are right', async () => {
    const { local } = await given();
    const { totals, series } = (await answerOf(local, '/v1/usage/summary', local.session_token)) as {
      totals: { requests: number; cost: string };
      series: { requests: number }[];
    };
    expect(totals.requests).toBeGreaterThan(500);
    expect(series.filter(({ requests }) => requests > 0).length).toBeGreaterThan(25);
    const refused = await answerOf(local, '/v1/usage?outcome=refused', local.session_token);
    expect((refused as { data: unknown[] }).data.length).toBeGreaterThan(5);
    const byKey = await answerOf(local, '/v1/usage/by-api-key', local.session_token);
    expect(byKey).toMatchObject({ data: [{ name: 'production' }, {}, {}] });
    const env = { ...process.env, DATABASE_URL: local.database_url };
    const verified = await run(process.execPath, ['dist/admin/main.js', 'ledger', 'verify', '--json'], {
      cwd: workspaceRoot(),
      env,
    });
    expect(JSON.parse(verified.stdout)).toMatchObject({ differences: [] });
  });

  it('lets gateway, account and worker into the database as roles of their own', async () => {
    const { local } = await given();
    const sessions = await sessionsIn(local);
    const account = 'farebox_account_service farebox-account';
    const worker = 'farebox_worker_service farebox-worker';
    const gateway = ['farebox-gateway', 'farebox-ledger'].map((name) => `farebox_service ${name}`);
    expect(sessions).toEqual(expect.arrayContaining([account, worker, ...gateway]));
    const isOfService = /^farebox_(service|account_service|worker_service) /;
    expect(sessions.filter((one) => !isOfService.test(one))).toEqual([]);
  });

  it('serves a paid completion, keeps account, key, usage and money between runs, and leaves nothing running', async () => {
    const first = await given();
    expect(await balanceOf(first.local)).toMatchObject({ balance: '25.000000000' });
    expect(await answerOf(first.local, '/v1/chat/completions', first.local.api_key, question)).toMatchObject({
      object: 'chat.completion',
    });
    const balance = await balanceOf(first.local);
    expect(balance).not.toMatchObject({ balance: '25.000000000' });
    const totals = await totalsOf(first.local);

    expect(await first.launcher.stop(30_000, 'SIGINT')).toEqual({ code: 0, signal: null });
    expect(await anythingListens(first.local)).toBe(false);

    const second = await startAgain();
    const { account_id, api_key, session_token, base_url } = first.local;
    expect(second.local).toMatchObject({ account_id, api_key, session_token, base_url });
    expect(await balanceOf(second.local)).toEqual(balance);
    expect((await totalsOf(second.local)).requests).toBe(totals.requests);

    expect(await shared.launch().exited).toMatchObject({ code: 1 });
    expect(await anythingListens(second.local)).toBe(true);
  });

  it('starts again after a kill -9, which ends everything as well', async () => {
    const first = await given();
    first.launcher.kill();
    await first.launcher.exited;
    while (await anythingListens(first.local)) await sleep(50);

    const second = await startAgain();

    expect(second.local.api_key).toBe(first.local.api_key);
  });

  it('starts again whatever happened to the passwords', async () => {
    const first = await given();
    const balance = await balanceOf(first.local);
    expect(balance).toMatchObject({ object: 'balance' });
    await first.launcher.stop(30_000);

    rmSync(path.join(shared.stateFolder, 'postgres-service-password'));
    rmSync(path.join(shared.stateFolder, 'postgres-account-password'));
    rmSync(path.join(shared.stateFolder, 'postgres-worker-password'));
    const second = await startAgain();
    expect(await balanceOf(second.local)).toEqual(balance);
  });

  it('starts from scratch with --reset', async () => {
    const first = await given();
    await first.launcher.stop(30_000);

    const second = await startAgain({ reset: true });

    expect(second.local.account_id).not.toBe(first.local.account_id);
    expect(await balanceOf(second.local)).toMatchObject({ balance: '25.000000000' });
  });

  it('starts the console for operators with --operator, and signs its owner in', async () => {
    const first = await given();
    await first.launcher.stop(30_000);

    const FAREBOX_OPERATOR_PORT = String(await freePort());
    const { launcher } = await startAgain({ operator: true, env: { FAREBOX_OPERATOR_PORT } });

    const origin = `http://127.0.0.1:${FAREBOX_OPERATOR_PORT}`;
    const token = /operator\/links\/(\S+)/.exec(launcher.output.last(100).join('\n'))?.[1] ?? '';
    const signedIn = await fetch(`${origin}/operator/sessions`, {
      method: 'POST',
      headers: { origin, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ token }),
      redirect: 'manual',
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const page = await fetch(`${origin}/operator`, { headers: { cookie, accept: 'text/html' } });
    expect(await page.text()).toContain('<div id="root">');
    const me = await fetch(`${origin}/operator/v1/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ role: 'owner' });
  });

  it('stops everything and names the process that died, with its last lines', async () => {
    const { launcher, local } = await given();
    const postmaster = readFileSync(path.join(shared.stateFolder, 'postgres/postmaster.pid'), 'utf8');

    process.kill(Number.parseInt(postmaster, 10), 'SIGQUIT');

    expect(await launcher.exited).toMatchObject({ code: 1 });
    expect(launcher.output.last(40).join('\n')).toMatch(/PostgreSQL ended .*; its last lines:[^]*shutdown/);
    expect(await anythingListens(local)).toBe(false);
  });
});

it('uses the database of DATABASE_URL, and starts none of its own', async () => {
  const databaseUrl = new URL(process.env.FAREBOX_TEST_DATABASE_URL ?? '');
  databaseUrl.pathname = `/launcher_${String(process.pid)}`;
  const { launcher, local } = await farebox.start({ env: { DATABASE_URL: databaseUrl.href } });

  expect(local.database_url).toBe(databaseUrl.href);
  expect(await balanceOf(local)).toMatchObject({ balance: '25.000000000' });
  expect(existsSync(path.join(farebox.stateFolder, 'postgres'))).toBe(false);

  await launcher.stop(30_000);
  const admin = new pg.Client({ connectionString: process.env.FAREBOX_TEST_DATABASE_URL });
  await admin.connect();
  await admin.query(`DROP DATABASE ${databaseUrl.pathname.slice(1)} WITH (FORCE)`);
  await admin.end();
});

it.each([
  ['postgresql://nobody:secret@127.0.0.1:1/none', /DATABASE_URL \(127\.0\.0\.1:1\/none\) cannot be used/],
  ['nonsense', /DATABASE_URL is not a URL like/],
])('says in one sentence that DATABASE_URL does not work: %s', async (DATABASE_URL, sentence) => {
  const launcher = farebox.launch({ env: { DATABASE_URL } });

  expect(await launcher.exited).toMatchObject({ code: 1 });
  expect(launcher.output.last(10)).toEqual([expect.stringMatching(sentence)]);
  expect(launcher.output.last(10).join()).not.toContain('secret');
});

it('reports in one sentence that the port is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };

  const launcher = farebox.launch({ env: { FAREBOX_PORT: String(port) } });

  expect(await launcher.exited).toMatchObject({ code: 1 });
  expect(launcher.output.last(10)).toEqual([
    `Port ${String(port)} is in use: set FAREBOX_PORT to another one.`,
  ]);
  server.close();
});

it.each([200, 1_000, 2_000])('leaves nothing running if it is interrupted after %i ms', async (delayMs) => {
  const launcher = farebox.launch();
  await sleep(delayMs);
  // On a busy machine Node itself may not have begun by then.
  const hasBegun = launcher.output.last(1).length > 0;

  const { signal } = await launcher.stop(30_000, 'SIGINT');
  if (hasBegun) expect(signal).toBeNull();
  expect(existsSync(path.join(farebox.stateFolder, 'postgres/postmaster.pid'))).toBe(false);
});
