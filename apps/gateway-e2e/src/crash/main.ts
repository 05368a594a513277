import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { locateRedis, RedisServer, thisMachine } from '@farebox/local-services';
import { failWith, INTERRUPTED, listenForInterruption, say } from '../command-line';
import { HELP, readOptions, type CrashOptions } from './options';
import { runCrashTest, toText } from './run-crash-test';

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
  const redis = await provideRedis();
  try {
    await run(options, redis.url, interrupt);
  } finally {
    await redis.remove();
  }
}

async function run(options: CrashOptions, redisUrl: string, interrupt: AbortSignal): Promise<void> {
  const report = await runCrashTest({ ...options, redisUrl, say, interrupt });
  say(`\n${toText(report)}`);
  if (interrupt.aborted) process.exitCode = INTERRUPTED;
  if (report.findings.length > 0) process.exitCode = 1;
}

async function provideRedis(): Promise<{ url: string; remove: () => Promise<void> }> {
  const source = locateRedis(thisMachine(say));
  if (source.kind === 'running') return { url: source.url, remove: () => Promise.resolve() };
  const redis = await RedisServer.start(source.path);
  return { url: redis.url, remove: () => redis.remove() };
}

main().catch((error: unknown) => {
  failWith('crash-test', error);
});
