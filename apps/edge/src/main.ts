import { readConfig, startEdge } from './edge-server';

async function main(): Promise<void> {
  const { config, warnings } = readConfig(process.env);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  const edge = await startEdge(config);
  const stop = (): void => {
    void edge.close().then(() => process.exit(0));
  };
  // Before it reports readiness, since a process waiting for that may stop it at once.
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ service: 'edge', event: 'ready', port: edge.port })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
