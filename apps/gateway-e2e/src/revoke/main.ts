import { runCommand } from '../command-line';
import { HELP, readOptions } from './options';
import { runRevokeTest, toText } from './run-revoke-test';

void runCommand({
  name: 'revoke-test',
  help: HELP,
  readOptions,
  async run(options, { say, interrupt }) {
    say(`Seed ${options.seed}. Starting the service.`);
    const report = await runRevokeTest({ ...options, say, interrupt });
    return { findings: report.findings, text: toText(report) };
  },
});
