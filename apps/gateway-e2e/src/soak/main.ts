import { startTestRedis } from '@farebox/testing';
import { runCommand } from '../command-line';
import { HELP, readOptions } from './options';
import { toText } from './report';
import { runSoakTest } from './run-soak-test';

void runCommand({
  name: 'soak-test',
  help: HELP,
  readOptions,
  async run(options, { say, interrupt }) {
    say(`Seed ${options.seed}. Starting the service.`);
    const redis = await startTestRedis();
    try {
      const report = await runSoakTest({ ...options, redisUrl: redis.url, say, interrupt });
      return { findings: report.findings, text: `\n${toText(report)}` };
    } finally {
      await redis.remove();
    }
  },
});
