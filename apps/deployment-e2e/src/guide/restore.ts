import { setTimeout as delay } from 'node:timers/promises';
import { commandsOf } from './guide';
import type { Deployment } from './deployment';

/**
 * The guide's restore to a moment: an account that was made before it is there afterwards, one that was made after it is
 * not, and the books are right. Everything is stopped meanwhile.
 */
export async function restoreToAMoment({ guide, shell }: Deployment): Promise<string[]> {
  const invite = (name: string): Promise<string> =>
    shell.run(`admin account invite --email ${name}@example.com --name ${name} --credit 1.00`);
  await invite('before');
  await delay(2_000);
  const moment = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
  await delay(2_000);
  await invite('after');
  // The archive must reach beyond the moment.
  await shell.run(
    'docker compose exec -T postgres psql --username farebox_owner farebox -c "SELECT pg_switch_wal()"\nsleep 5',
  );
  const [, stop = ''] = /\(`(docker compose stop [^`]+)`\)/.exec(guide) ?? [];
  await shell.run(stop);
  const base = (
    await shell.run(
      'docker compose run --rm -T --no-deps --entrypoint bash postgres -c "ls -d /archive/base-* | tail -1"',
    )
  ).trim();
  await shell.run(
    commandsOf(guide, 'Backup and restore', 'recovery_target_time')
      .replaceAll(/\/archive\/base-[\d-]+/g, base)
      .replace(/recovery_target_time = '[^']+'/, `recovery_target_time = '${moment}'`),
  );
  await shell.run('docker compose run --rm migrate');
  const findings: string[] = [];
  const accounts = await shell.run('admin account list --json');
  if (!accounts.includes('before@example.com')) findings.push('The restored database lacks what was before.');
  if (accounts.includes('after@example.com')) findings.push('The restored database has what came after.');
  await shell.run('admin ledger verify');
  await shell.run('docker compose exec -T redis redis-cli FLUSHALL\nroll');
  return findings;
}
