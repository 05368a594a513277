import { HELP, OptionsError, readOptions } from './options';
import { runGuide } from './run-guide';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    say(HELP);
    return;
  }
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (!controller.signal.aborted) say('Interrupted: this operation is the last.');
      controller.abort();
    });
  const { table, findings } = await runGuide(options, say, controller.signal);
  say(`\n${table.join('\n')}\n`);
  for (const finding of findings) say(`Wrong: ${finding}`);
  if (findings.length > 0 || controller.signal.aborted) process.exitCode = 1;
}

main().catch((error: unknown) => {
  const text = error instanceof OptionsError ? error.message : String((error as Error).stack ?? error);
  process.stderr.write(`guide-test: ${text}\n`);
  process.exitCode = 1;
});
