import path from 'node:path';
import { SECOND_MS } from '@farebox/flow';
import { ServiceExitError, workspaceRoot } from '@farebox/local-services';
import { bringUp, type BringUpContext, type BroughtUp } from './bring-up';
import {
  emptyStateFolder,
  type Interruption,
  listenForInterruption,
  openStateFolder,
  RunningStack,
  type StateFolder,
  takeRunLock,
} from './state-folder';
import { PLAIN_PROGRESS, print, type Progress } from './progress';
import { assertPortFree, readSettings, type Settings } from './settings';
import { LaunchError } from './launch-error';

export interface StartOptions {
  /** Where progress is shown. Default: a line for each step. */
  progress?: Progress;
  /** First delete everything from earlier starts. */
  reset: boolean;
  /** Start the operator's console, too. Default: no. */
  operator?: boolean;
  /** The state folder. Default: `.farebox` in the checkout. */
  stateFolder?: string;
}

/** `npm start`, once everything is installed and built. Resolves to the exit code, with nothing left running. */
export async function start(options: StartOptions): Promise<number> {
  const interruption = listenForInterruption();
  const { progress = PLAIN_PROGRESS, operator: withOperator = false } = options;
  const stack = new RunningStack();
  const ending = new AbortController();
  const interrupt = AbortSignal.any([interruption.signal, ending.signal]);
  let unlock = (): void => undefined;
  try {
    const settings = readSettings(process.env);
    const root = workspaceRoot();
    const state = openStateFolder(options.stateFolder ?? path.join(root, '.farebox'));
    unlock = takeRunLock(state.lockFile);
    await assertPortFree('FAREBOX_PORT', settings.port);
    if (withOperator) await assertPortFree('FAREBOX_OPERATOR_PORT', settings.operatorPort);
    if (options.reset) reset(settings, state, progress);
    await run({ root, settings, withOperator, state, stack, interrupt, progress }, interruption);
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) return 0;
    console.error(describe(error));
    return 1;
  } finally {
    ending.abort();
    if (stack.empty) progress.end();
    else progress.begin('Stopping everything that was started');
    await stack.stop();
    progress.end();
    unlock();
  }
}

/** Returns when the person has asked to stop; throws if a process ends before that. */
async function run(context: BringUpContext, interruption: Interruption): Promise<void> {
  const broughtUp = await bringUp(context);
  context.progress.end();
  print(summarise(broughtUp, (performance.now() / SECOND_MS).toFixed(1)));
  await Promise.race([interruption.asked, context.stack.firstFailure()]);
}

function reset(settings: Settings, state: StateFolder, progress: Progress): void {
  if (settings.databaseUrl !== undefined) throw new LaunchError(RESET_OF_FOREIGN_DATABASE);
  progress.begin('Deleting the embedded database and everything else under .farebox');
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

const MODEL = 'farebox-small';

/** The final message: the address, the credentials, and commands to paste. */
export function summarise(
  { local, signInLink, operatorLink, supportEmail }: BroughtUp,
  seconds: string,
): string {
  const chat = (flags: string, body: object): string =>
    [
      `  curl ${flags}${local.base_url}/v1/chat/completions \\`,
      `    -H 'Authorization: Bearer ${local.api_key}' \\`,
      `    -H 'Content-Type: application/json' \\`,
      `    -d '${JSON.stringify(body)}'`,
    ].join('\n');
  const request = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }] };
  return `
Farebox is ready after ${seconds} s. The demo account has an API key, a session and 25 dollars to begin with.

  Console         ${local.base_url}
  Sign in, once   ${signInLink ?? 'the demo account has no access: npm run admin -- account activate'}
  Operate, once   ${operatorLink ?? 'npm start -- --operator starts the console for operators, too'}
  Base URL        ${local.base_url}   (${local.base_url}/v1 for OpenAI clients)
  API key         ${local.api_key}
  Session token   ${local.session_token}
  Support         ${(supportEmail ?? '') === '' ? 'not set: FAREBOX_SUPPORT_EMAIL names whom customers ask' : supportEmail}

A completion:

${chat('', request)}

The same as a stream:

${chat('-N ', { ...request, stream: true })}

The balance:

  curl ${local.base_url}/v1/billing/balance -H 'Authorization: Bearer ${local.session_token}'

Another link to sign in, which appears in this terminal:

  curl ${local.base_url}/auth/links -H 'Content-Type: application/json' -d '{"email":"demo@farebox.local"}'

The same values are in .farebox/local.json, and the logs in .farebox/logs. Ctrl-C stops everything.
`;
}
