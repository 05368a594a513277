import type { JobBackend } from '@farebox/jobs';
import type { Logger } from '@farebox/observability';
import { join } from 'node:path';
import { openBoard, type Board } from './board/open-board';
import type { WorkerConfig } from './config';

/** The build puts the page of the board beside the bundle. */
const PAGE_FOLDER = join(__dirname, 'board');

/** Opens the board of the queues where it is configured. */
export async function composeBoard(
  { board: config }: Pick<WorkerConfig, 'board'>,
  backend: JobBackend,
  log: Logger,
): Promise<Board | undefined> {
  if (!config) return undefined;
  const board = await openBoard({
    config,
    backend,
    pageFolder: PAGE_FOLDER,
    log,
    onQueueError: (error) => {
      log.warn(
        { event: 'queue_unreachable', queue: backend.kind, error },
        'the board does not reach the queues',
      );
    },
  });
  log.info(
    { event: 'board_ready', host: config.host, port: board.port },
    'the board of the queues is served',
  );
  return board;
}
