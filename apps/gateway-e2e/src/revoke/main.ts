import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { failWith, INTERRUPTED, listenForInterruption, say } from '../command-line';
import { HELP, readOptions } from './options';
import { runRevokeTest, toText } from './run-revoke-test';

const LARGEST_SEED = 1_000_000;

async function main(): Promise<void> {
  const seed = process.env['FAREBOX_TEST_SEED'] ?? String(randomInt(LARGEST_SEED));
  const options = readOptions(process.argv.slice(2), { seed });
  if (options === 'help') {
    say(HELP);
    return;
  }
  if (options.logFolder !== undefined) mkdirSync(options.logFolder, { recursive: true });
  const interrupt = listenForInterruption();
  say(`Seed ${options.seed}. Starting the service.`);
  const report = await runRevokeTest({ ...options, say, interrupt });
  say(toText(report));
  if (interrupt.aborted) process.exitCode = INTERRUPTED;
  if (report.findings.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  failWith('revoke-test', error);
});
