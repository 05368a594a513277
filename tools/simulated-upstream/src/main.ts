import { readSettings, startSimulatedUpstream } from './server';

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  if ('problems' in settings) fail(settings.problems.join('\n'));

  const upstream = await startSimulatedUpstream(settings).catch((error: unknown) =>
    fail(`The simulated upstream cannot listen on port ${String(settings.port)}: ${String(error)}`),
  );
  const stop = (): void => {
    void upstream.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  process.stdout.write(
    `${JSON.stringify({ event: 'ready', service: 'simulated-upstream', url: upstream.url })}\n`,
  );
}

void main();
