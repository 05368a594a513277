import path from 'node:path';
import { ServiceExitError, workspaceRoot } from '@farebox/local-services';
import { LaunchError } from '../launch-error';
import { assertPortFree } from './assert-port-free';
import { bringUp, type BringUpContext } from './bring-up';
import { listenForInterruption, type Interruption } from './interruption';
import { takeRunLock } from './run-lock';
import { RunningStack } from './running-stack';
import { readSettings, type Settings } from './settings';
import { emptyStateFolder, openStateFolder, type StateFolder } from './state-folder';
import { summarise } from './summary';

const say = (line: string): void => {
  console.log(line);
};

export interface StartOptions {
  /** First delete everything that earlier starts have kept. */
  reset: boolean;
  /** Where it is kept. Default: `.farebox` in the checkout. */
  stateFolder?: string;
}

/** `npm start`, once everything is installed and built. Resolves to the exit code, with nothing left running. */
export async function start(options: StartOptions): Promise<number> {
  const interruption = listenForInterruption();
  const stack = new RunningStack();
  const ending = new AbortController();
  const interrupt = AbortSignal.any([interruption.signal, ending.signal]);
  let unlock = (): void => undefined;
  try {
    const settings = readSettings(process.env);
    const root = workspaceRoot();
    const state = openStateFolder(options.stateFolder ?? path.join(root, '.farebox'));
    unlock = takeRunLock(state.lockFile);
    await assertPortFree(settings.port);
    if (options.reset) reset(settings, state);
    await run({ root, settings, state, stack, interrupt, say }, interruption);
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) return 0;
    console.error(describe(error));
    return 1;
  } finally {
    ending.abort();
    if (!stack.empty) say('Stopping everything that was started');
    await stack.stop();
    unlock();
  }
}

/** Returns when the person has asked to stop; throws where something ends before that. */
async function run(context: BringUpContext, interruption: Interruption): Promise<void> {
  const startedAtMs = Date.now();
  const local = await bringUp(context);
  say(summarise(local, ((Date.now() - startedAtMs) / 1000).toFixed(1)));
  await Promise.race([interruption.asked, context.stack.firstFailure()]);
}

function reset(settings: Settings, state: StateFolder): void {
  if (settings.databaseUrl !== undefined) throw new LaunchError(RESET_OF_FOREIGN_DATABASE);
  say('Deleting the embedded database and everything else under .farebox');
  emptyStateFolder(state);
}

const RESET_OF_FOREIGN_DATABASE =
  '--reset deletes the embedded database, and DATABASE_URL names another one: unset DATABASE_URL, or leave --reset out.';

function describe(error: unknown): string {
  if (error instanceof LaunchError) return error.message;
  if (error instanceof ServiceExitError) {
    return `${error.message}\n(Logs are in .farebox/logs.)`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
