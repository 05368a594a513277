import type { BoardConfig } from '@farebox/config';
import { createHttpServer, listen, listenerOf, type ErrorLog, type ServerLimits } from '@farebox/http';
import { openAllQueues, type JobBackend } from '@farebox/jobs';
import { createBoardApp } from './board-app';

export interface Board {
  port: number;
  /** Cuts whoever still reads. */
  close(): Promise<void>;
}

/** An operator or two. */
const LIMITS: ServerLimits = {
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 64,
};

export interface OpenBoardOptions {
  config: BoardConfig;
  backend: JobBackend;
  /** A folder whose `dist` has the board's page: what the build puts beside the bundle. */
  pageFolder: string;
  log: ErrorLog;
  /** The queues' connection has a problem; it is opened again by itself. */
  onQueueError: (error: unknown) => void;
}

/** Serves the board of the queues on a port of its own. Rejects with Node's error where it cannot listen. */
export async function openBoard(options: OpenBoardOptions): Promise<Board> {
  const { config, backend, pageFolder, log, onQueueError } = options;
  const all = openAllQueues(backend, onQueueError);
  const app = createBoardApp({ queues: all.queues, token: config.token, pageFolder, log });
  const server = createHttpServer(listenerOf(app, log), LIMITS);
  try {
    const port = await listen(server, config);
    return {
      port,
      async close() {
        await new Promise<void>((resolve) => {
          server.close(() => {
            resolve();
          });
          server.closeAllConnections();
        });
        await all.close();
      },
    };
  } catch (error) {
    await all.close();
    throw error;
  }
}
