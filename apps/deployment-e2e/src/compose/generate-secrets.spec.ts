import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSecrets, readSecrets } from './generated-secrets';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-secrets-'));
  file = join(folder, '.env');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const NAMES = [
  'FAREBOX_OWNER_DB_PASSWORD',
  'FAREBOX_GATEWAY_DB_PASSWORD',
  'FAREBOX_ACCOUNT_DB_PASSWORD',
  'FAREBOX_WORKER_DB_PASSWORD',
  'FAREBOX_OPERATOR_DB_PASSWORD',
  'FAREBOX_REDIS_PASSWORD',
  'FAREBOX_KEY_PEPPERS',
  'FAREBOX_ANSWER_KEYS',
  'FAREBOX_WEBHOOK_KEYS',
  'FAREBOX_ROOT_SIGNING_KEY',
];

it('the script generates different secrets each time, in a file that only its owner can read', () => {
  const first = generateSecrets(folder);
  rmSync(file);
  const second = generateSecrets(folder);

  expect(Object.keys(first)).toEqual(NAMES);
  const values = [...Object.values(first), ...Object.values(second)];
  expect(new Set(values).size).toBe(2 * NAMES.length);
  for (const value of values) expect(value).toMatch(/^(?:(?:1:)?[0-9a-f]{64}|[0-9a-f]{48})$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['.env']);
});

it("the script changes only the file's mode when it is run again", () => {
  generateSecrets(folder);
  appendFileSync(file, 'FAREBOX_PORT=9090\n');
  const before = readFileSync(file, 'utf8');
  chmodSync(file, 0o644);

  generateSecrets(folder);

  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('the script adds a secret that an older file lacks, and keeps the others', () => {
  writeFileSync(file, '# mine\nFAREBOX_KEY_PEPPERS=2:bb,1:aa\nFAREBOX_ANSWER_KEYS=\nFAREBOX_PORT=9090');

  generateSecrets(folder);

  const secrets = readSecrets(folder);
  expect(secrets).toMatchObject({ FAREBOX_KEY_PEPPERS: '2:bb,1:aa', FAREBOX_PORT: '9090' });
  expect(NAMES.filter((name) => !secrets[name])).toEqual([]);
  expect(readFileSync(file, 'utf8')).toMatch(/^# mine\n/);
});
