import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { HELP, readOptions } from './options';
import { errorsOf, toDocument, toReport } from './report';
import { runNeighbours } from './run-neighbours';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    say(HELP);
    return;
  }
  const { logFolder } = options;
  if (logFolder !== undefined) mkdirSync(logFolder, { recursive: true });
  const { measured, postgresVersion } = await runNeighbours({ ...options, say });
  say(`\n${toReport(measured)}`);
  if (options.out !== undefined) {
    const file = path.resolve(workspaceRoot(), options.out);
    writeFileSync(file, toDocument(measured, options, { postgresVersion, date: new Date() }));
    say(`Written to ${path.relative(workspaceRoot(), file)}.`);
  }
  if (measured.some(({ rounds }) => errorsOf(rounds) > 0)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`neighbours: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
