import { createServer } from 'node:net';
import { LaunchError } from '../launch-error';

/** Throws LaunchError where this process cannot listen on `port` of 127.0.0.1. */
export function assertPortFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${error.code ?? ''})`;
      reject(new LaunchError(`Port ${String(port)} ${reason}: set FAREBOX_PORT to another one.`));
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve();
      });
    });
  });
}
