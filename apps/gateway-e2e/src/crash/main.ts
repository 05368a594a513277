import { locateRedis, RedisServer, thisMachine } from '@farebox/local-services';
import { runCommand } from '../command-line';
import { HELP, readOptions } from './options';
import { runCrashTest, toText } from './run-crash-test';

void runCommand({
  name: 'crash-test',
  help: HELP,
  readOptions,
  async run(options, { say, interrupt }) {
    say(`Seed ${options.seed}. Starting the service.`);
    const redis = await provideRedis(say);
    try {
      const report = await runCrashTest({ ...options, redisUrl: redis.url, say, interrupt });
      return { findings: report.findings, text: `\n${toText(report)}` };
    } finally {
      await redis.remove();
    }
  },
});

async function provideRedis(
  say: (line: string) => void,
): Promise<{ url: string; remove: () => Promise<void> }> {
  const source = locateRedis(thisMachine(say));
  if (source.kind === 'running') return { url: source.url, remove: () => Promise.resolve() };
  const redis = await RedisServer.start(source.path);
  return { url: redis.url, remove: () => redis.remove() };
}
