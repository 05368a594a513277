import { existsSync } from 'node:fs';
import { thisMachine } from '@farebox/local-services';
import { runCommand } from '../command-line';
import { HELP, readOptions } from './options';
import { locatePrograms } from './programs';
import { toJson, toText } from './report';
import { runFailoverTest } from './run-failover-test';

void runCommand({
  name: 'failover-test',
  help: HELP,
  readOptions,
  async run(options, { say, interrupt }) {
    const { find } = thisMachine(say);
    const programs = locatePrograms({ find, exists: existsSync }, options.postgresFolder);
    say(`Seed ${options.seed}.`);
    const report = await runFailoverTest({ ...options, programs, say, interrupt });
    const text = options.isJson ? toJson(report) : `\n${toText(report)}`;
    return { findings: report.findings, text };
  },
});
