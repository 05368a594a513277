import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalFile, provideSecrets, readLocalFile, writeLocalFile } from './state-folder';

let folder: string;
let file: string;

const local: LocalFile = {
  base_url: 'http://127.0.0.1:8080',
  gateway_url: 'http://127.0.0.1:1',
  account_url: 'http://127.0.0.1:2',
  api_key: 'ak-x',
  session_token: 'st-x',
  account_id: 'acct_x',
  database_url: 'postgresql://x',
  simulated_upstream_url: 'http://127.0.0.1:3/v1',
};

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-'));
  file = path.join(folder, 'kept.json');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('local.json is read as it was written, by this user only', () => {
  writeLocalFile(file, local);

  expect(readLocalFile(file)).toEqual(local);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it.each([undefined, 'not JSON', '{}', '{"base_url":1}'])('a local.json of %j counts as none', (content) => {
  if (content !== undefined) writeFileSync(file, content);

  expect(readLocalFile(file)).toBeUndefined();
});

it('secrets are generated once, and are readable by this user only', () => {
  const first = provideSecrets(file);

  expect(first.key_peppers).toMatch(/^1:[0-9a-f]{64}$/);
  expect(first.answer_keys).toMatch(/^1:[0-9a-f]{64}$/);
  expect(first.answer_keys).not.toBe(first.key_peppers);
  expect(provideSecrets(file)).toEqual(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a secret that an older file lacks is added', () => {
  writeFileSync(file, '{"key_peppers":"1:ab"}', { mode: 0o600 });

  const secrets = provideSecrets(file);

  expect(secrets.key_peppers).toBe('1:ab');
  expect(secrets.answer_keys).toMatch(/^1:[0-9a-f]{64}$/);
  expect(provideSecrets(file)).toEqual(secrets);
});
