import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot, type ServiceProcess } from '@farebox/local-services';
import { STOP_SIGNAL, type EdgeProcess } from '../edge/edge-process';
import { checkHealth, run } from './container-process';
import { openDeployedStack, SERVICES, type DeployedStack } from './deployed-stack';
import { unprivilegedUser } from './unprivileged-user';

/**
 * The compose file and the Dockerfile, without a container engine: the files of each image in a separate
 * read-only folder, run by an unprivileged user with the environment of image and compose file.
 */
let stack: DeployedStack;
let edge: EdgeProcess;
beforeAll(async () => {
  stack = await openDeployedStack();
});
afterAll(async () => {
  await stack.remove();
});

const MODEL = 'farebox-small';
const messages = [{ role: 'user', content: 'Hello' }];

/** Its output outside the log: warnings and errors of the start go to standard error. */
const complaintsOf = (service: ServiceProcess): string[] =>
  service.output.last(Infinity).filter((line) => !line.startsWith('{"'));

async function becomesHealthy(name: (typeof SERVICES)[number]): Promise<void> {
  const service = stack.start(name);
  await service.until(service.output.waitForLine('"event":"ready"'));
  await service.until(checkHealth(stack.containers[name]));
}

async function send(path: string, token: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${edge.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** All migrations of the repository, in order of their names. */
function migrations(): string[] {
  const folder = path.join(workspaceRoot(), 'prisma/migrations');
  return readdirSync(folder)
    .filter((name) => existsSync(path.join(folder, name, 'migration.sql')))
    .sort();
}

/** Those of all libraries, sorted: `ledger/place.sql`. */
function sqlFiles(): string[] {
  return readdirSync(path.join(workspaceRoot(), 'libs'))
    .map((lib) => ({ lib, folder: path.join(workspaceRoot(), 'libs', lib, 'sql') }))
    .filter(({ folder }) => existsSync(folder))
    .flatMap(({ lib, folder }) => readdirSync(folder).map((file) => `${lib}/${file}`))
    .sort();
}

it('the stack migrates an empty database, creates the logins, and can do so again', async () => {
  const first = await run(stack.containers.migrate);
  expect(first).toHaveLength(6);
  expect(first[0]).toBe(`Applied ${migrations().join(', ')}.`);
  const [, installed = ''] = /^Installed the SQL of (.*)\.$/.exec(first[1] ?? '') ?? [];
  expect(installed.split(', ').sort()).toEqual(sqlFiles());
  const logins = ['gateway', 'account_service', 'worker_service', 'operator_service'].map(
    (name) => `farebox_${name}`,
  );
  expect(first.slice(2)).toEqual(logins.map((login) => `${login} may log in.`));

  const again = await run(stack.containers.migrate);
  expect(again[0]).toBe('No migration was missing.');
  const { rows } = await stack.postgres.pool.query(
    'SELECT rolname FROM pg_roles WHERE rolname = ANY($1) AND (rolsuper OR rolcreaterole OR rolcreatedb)',
    [logins],
  );
  expect(rows).toEqual([]);
});

it('the stack fails its health checks while nothing runs', async () => {
  await expect(checkHealth(stack.containers['gateway-1'])).rejects.toThrow('exit code 1');
});

it('the stack starts, and each service passes the health check of its image', async () => {
  await stack.admin('catalog', 'apply');
  for (const name of SERVICES) await becomesHealthy(name);
  edge = await stack.startEdge('edge-1');
  await stack.startEdge('edge-2', edge.port);
});

it('the stack runs as an unprivileged user without write access', () => {
  const user = unprivilegedUser();
  for (const name of SERVICES) {
    const pid = String(stack.processes.get(name)?.pid);
    const { stdout } = spawnSync('ps', ['-o', 'uid=', '-p', pid], { encoding: 'utf8' });
    expect(Number(stdout)).toBe(user?.uid ?? process.getuid?.());
    expect(statSync(stack.containers[name].folder).mode & 0o222).toBe(0);
  }
});

let apiKey: string;
it('the stack lets an operator create an account, and a customer their key, over the one base URL', async () => {
  const operate = (...args: string[]) => stack.admin('--by', 'ops', ...args);
  const created = await operate('account', 'create', '--email', 'ada@example.com', '--name', 'Ada');
  const accountId = String(created['account_id']);
  await operate('account', 'activate', accountId);
  await operate('account', 'fund', accountId, '--amount', '5.00', '--reference', 'wire-1', '--yes');
  const session = String((await operate('session', 'create', accountId))['session_token']);

  const made = await send('/v1/api-keys', session, { name: 'laptop' });
  expect(made.status).toBe(201);
  apiKey = (JSON.parse(made.text) as { key: string }).key;
});

it('the stack serves the console to a browser over the one base URL, with its parts compressed and cached for a year', async () => {
  const page = await fetch(`${edge.url}/billing?checkout=paid`, { headers: { accept: 'text/html' } });
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const [, nonce = ''] = /<meta name="csp-nonce" content="([^"]+)"/.exec(html) ?? [];
  expect(page.headers.get('content-security-policy')).toContain(
    `script-src 'self';style-src 'self' 'nonce-${nonce}'`,
  );
  const parts = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
    ([, part]) => part ?? '',
  );
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    const answer = await fetch(`${edge.url}${part}`, { headers: { 'accept-encoding': 'br' } });
    await answer.arrayBuffer();
    expect([part, answer.status, answer.headers.get('cache-control')]).toEqual([
      part,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
  const [script = ''] = parts;
  const compressed = await fetch(`${edge.url}${script}`, { headers: { 'accept-encoding': 'br' } });
  expect(compressed.headers.get('content-encoding')).toBe('br');
  expect(await compressed.text()).toContain('import');
});

it("the stack passes the operator's checks", async () => {
  expect(await stack.admin('doctor')).toMatchObject({ ok: true, failed: 0 });
});

it('the stack answers completions, with and without a stream', async () => {
  const whole = await send('/v1/chat/completions', apiKey, { model: MODEL, messages });
  expect([whole.status, whole.text]).toEqual([200, expect.stringContaining('"cost":"0.')]);
  const stream = await send('/v1/chat/completions', apiKey, { model: MODEL, messages, stream: true });
  expect(stream.text).toMatch(/data: \[DONE\]\n\n$/);
});

it('the stack keeps working when a gateway dies, and when it is back', async () => {
  const gateway = stack.processes.get('gateway-1');
  gateway?.kill();
  await gateway?.exited;
  for (let i = 0; i < 4; i++) expect((await send('/v1/models', apiKey)).status).toBe(200);

  await becomesHealthy('gateway-1');
  expect((await send('/v1/models', apiKey)).status).toBe(200);
});

it('the stack keeps working when an account service dies, and when an edge restarts', async () => {
  const account = stack.processes.get('account-1');
  account?.kill();
  await account?.exited;
  for (let i = 0; i < 4; i++) expect((await send('/docs', '')).status).toBe(200);
  await becomesHealthy('account-1');

  stack.processes.get('edge-1')?.signal(STOP_SIGNAL);
  for (let i = 0; i < 4; i++) expect((await send('/v1/models', apiKey)).status).toBe(200);
  await stack.startEdge('edge-1', edge.port);
});

it('the stack stops at SIGTERM with exit code 0, without complaints, and with correct books', async () => {
  for (const name of ['edge-1', 'edge-2']) await stack.processes.get(name)?.stop();
  for (const name of [...SERVICES].reverse()) {
    const service = stack.processes.get(name);
    expect([name, await service?.stop()]).toEqual([name, { code: 0, signal: null }]);
    expect([name, service && complaintsOf(service)]).toEqual([name, []]);
  }
  expect(await stack.admin('ledger', 'verify')).toMatchObject({ ok: true });
});
