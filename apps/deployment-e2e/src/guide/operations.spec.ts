import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { deploy, type Deployment } from './deployment';
import { commandsOf } from './guide';
import { plannedOperations } from './operations';

const guide = readFileSync(join(workspaceRoot(), 'docs/operate/operating.md'), 'utf8');

it('the operating guide has each operation once', () => {
  const operations = plannedOperations(guide);
  expect(operations.length).toBeGreaterThan(10);
  expect(new Set(operations.map(({ commands }) => commands)).size).toBe(operations.length);
  expect(commandsOf(guide, 'Backup and restore', 'recovery_target_time')).toContain('recovery.signal');
});

it('the operating guide has each step of the first deployment once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-guide-'));
  mkdirSync(join(folder, 'docker'));
  const run: string[] = [];
  const defined: string[] = [];
  const shell = {
    define: (commands: string) => void defined.push(commands),
    run: (commands: string) => {
      run.push(commands);
      return Promise.resolve('');
    },
  };
  try {
    await deploy({ guide, shell } as Deployment, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(run).toEqual([
    expect.stringContaining('generate-secrets.mjs'),
    expect.stringContaining('docker compose --profile'),
    expect.stringContaining('farebox.pem'),
  ]);
  expect(defined).toEqual([expect.stringContaining('roll() {'), expect.stringContaining('renew() {')]);
});
