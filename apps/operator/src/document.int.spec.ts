import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOperatorHarness, type OperatorHarness } from '../test/operator-harness';
import { describeVerbs, VERB_ROUTES } from './http/verbs';

const ROOT = join(__dirname, '../../..');

interface Operation {
  operationId: string;
  'x-roles': string[];
  parameters?: { name: string; required: boolean; schema: unknown }[];
  requestBody?: { content: { 'application/json': { schema: Record<string, unknown> } } };
}

let harness: OperatorHarness;
let document: { paths: Record<string, Record<string, Operation>> };
beforeAll(async () => {
  harness = await openOperatorHarness();
  const authorization = `Bearer ${await harness.givenKey('viewer')}`;
  const response = await fetch(`${harness.url}/operator/v1/openapi.json`, { headers: { authorization } });
  expect(response.status).toBe(200);
  document = (await response.json()) as typeof document;
});
afterAll(() => harness.close());

it('the document of the API is not shown to strangers', async () => {
  expect((await fetch(`${harness.url}/operator/v1/openapi.json`)).status).toBe(401);
});

it('the document has every verb that the service offers, under its path and method, and names each once', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      method: method.toUpperCase(),
      path,
      operationId,
    })),
  );
  expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    [...VERB_ROUTES.map(({ method, path }) => `${method} ${path}`), 'GET /operator/v1/me'].sort(),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
});

it('no help names an option or a command of the shell', () => {
  const help = describeVerbs(() => true).flatMap(({ verb, help: sentence, parameters }) =>
    [sentence, ...parameters.map(({ description }) => description)].map((text) => `${verb}: ${text}`),
  );
  expect(help.length).toBeGreaterThan(100);
  expect(help.filter((text) => /(?<!\w)--[a-z]|\badmin [a-z]/.test(text))).toEqual([]);
  expect(help).toContain('account invite: send no mail: you pass on the link yourself');
});

it('a refusal names parameters as the API does', async () => {
  const authorization = `Bearer ${await harness.givenKey('support')}`;
  const response = await fetch(`${harness.url}/operator/v1/limit/set`, {
    method: 'POST',
    headers: { authorization },
  });
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toContain('give account, cohort, key or model');
});

it('parameters of a verb that changes are a body, and of one that reads a query', () => {
  const fund = document.paths['/operator/v1/account/fund']?.['post'];
  expect(fund).toMatchObject({ operationId: 'accountFund', 'x-roles': ['owner', 'finance'] });
  expect(fund?.requestBody?.content['application/json'].schema).toMatchObject({
    required: ['account', 'amount', 'reference'],
    properties: { amount: { type: ['string', 'integer'] }, yes: { type: 'boolean' } },
  });
  const show = document.paths['/operator/v1/account/show']?.['get'];
  expect(show?.parameters).toMatchObject([{ name: 'account', required: true }]);
  expect(show).not.toHaveProperty('requestBody');
});

it('the document passes every recommended rule of the linter, without a warning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-document-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const { stdout } = spawnSync(
    process.execPath,
    ['node_modules/@redocly/cli/bin/cli.js', 'lint', '--config=redocly.yaml', '--format=json', file],
    {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  rmSync(folder, { recursive: true });
  const report = JSON.parse(stdout) as { totals: unknown; problems: unknown };
  expect(report.problems).toEqual([]);
  expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});
