import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetProcess, guardProcess } from '@farebox/local-services';

const KILL_AFTER_MS = 10_000;
const POLL_MS = 50;

export interface Command {
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/**
 * Runs a command that prints to this terminal; resolves to its exit code, 1 if a signal ended it. It has its own
 * process group: when `interrupt` fires, the whole group is ended.
 */
export async function runCommand(command: Command, interrupt: AbortSignal): Promise<number> {
  if (interrupt.aborted) return 1;
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: command.env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) return reportUnstartable(child, command.program);
  guardProcess(-pid, 'SIGTERM');
  const stop = (): void => {
    signalGroup(pid, 'SIGTERM');
  };
  interrupt.addEventListener('abort', stop);
  const [code] = (await once(child, 'exit')) as [number | null];
  interrupt.removeEventListener('abort', stop);
  await endGroup(pid);
  forgetProcess(-pid);
  return code ?? 1;
}

async function reportUnstartable(child: ChildProcess, program: string): Promise<number> {
  const [error] = (await once(child, 'error')) as [Error];
  process.stderr.write(`${program} cannot be run: ${error.message}\n`);
  return 1;
}

/** The rest of a group after the end of its first process: it may be ending its own children. */
async function endGroup(pid: number): Promise<void> {
  const deadlineMs = Date.now() + KILL_AFTER_MS;
  signalGroup(pid, 'SIGTERM');
  while (signalGroup(pid, 0)) {
    if (Date.now() > deadlineMs) signalGroup(pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

/** False if the group is empty. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
