import { readConfig } from './config';
import { startEdge } from './edge-server';

async function main(): Promise<void> {
  const { config, warnings } = readConfig(process.env);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  const edge = await startEdge(config);
  process.stdout.write(`${JSON.stringify({ event: 'ready', service: 'edge', port: edge.port })}\n`);
  const stop = (): void => {
    void edge.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
