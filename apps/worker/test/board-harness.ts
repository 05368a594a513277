import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const BUILT = join(__dirname, '../../../dist/worker');
export const TOKEN = 'the-token-of-the-board-in-this-test';
const LONGEST_START_MS = 60_000;

/** The built worker with its board, alone in an empty folder. */
export interface BoardHarness {
  /** Requests the board, with the token unless another `authorization` is given. */
  ask(path: string, init?: { method?: string; authorization?: string | null }): Promise<Response>;
  /** Returns the exit code. */
  stop(): Promise<number | null>;
}

/** `environment`: in addition to the settings that enable the board. */
export async function startWorkerWithBoard(environment: Record<string, string>): Promise<BoardHarness> {
  if (!existsSync(join(BUILT, 'main.js'))) {
    throw new Error('dist/worker/main.js is missing: build it with "npx nx build worker".');
  }
  const folder = mkdtempSync(join(tmpdir(), 'farebox-worker-'));
  cpSync(BUILT, folder, { recursive: true });
  const child = spawn(process.execPath, ['main.js'], {
    cwd: folder,
    env: { ...environment, FAREBOX_BOARD_PORT: '0', FAREBOX_BOARD_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    const code = await exited;
    rmSync(folder, { recursive: true });
    return code;
  };
  const port = await readBoardPort(child).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    stop,
    ask: (path, { method = 'GET', authorization = `Bearer ${TOKEN}` } = {}) =>
      fetch(`http://127.0.0.1:${String(port)}${path}`, {
        method,
        headers: authorization === null ? {} : { authorization },
        redirect: 'manual',
      }),
  };
}

/** Read from the log, once the whole worker is ready. */
function readBoardPort(child: ChildProcess): Promise<number> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    let port = 0;
    const fail = (): void => {
      reject(new Error(`the worker did not become ready:\n${said.join('\n')}`));
    };
    const timer = setTimeout(fail, LONGEST_START_MS);
    child.once('exit', fail);
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        const { event, port: logged } = line.startsWith('{')
          ? (JSON.parse(line) as { event?: string; port?: number })
          : {};
        if (event === 'board_ready') port = logged ?? 0;
        if (event !== 'ready') return;
        clearTimeout(timer);
        resolve(port);
      });
    }
  });
}
