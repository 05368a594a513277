import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { toPublicId } from '@farebox/auth';
import pg from 'pg';
import { z } from 'zod';
import { LaunchError } from './launch-error';
import { bundleArgs } from './services';
import { writeDemoMonth } from './write-demo-month';

const EMAIL = 'demo@farebox.local';
const anything = z.unknown();
const createdAccount = z.object({ account_id: z.string() });
const createdKey = z.object({ key: z.string() });
const createdLink = z.object({ link: z.string() });
const createdSession = z.object({ session_token: z.string() });

/**
 * The id of the demo account, which gets a month of usage if nobody else has used this database. Call before any
 * service runs: after a worker has summed or checked, no past can be added.
 */
export async function openDemoAccount(admin: AdminContext, databaseUrl: string): Promise<string> {
  const known = await findAccount(databaseUrl);
  const accountId = known ?? (await createAccount(admin));
  await writeDemoMonth(databaseUrl, accountId);
  return accountId;
}

/**
 * Makes the demo account active, with 25 dollars. The funding has a reference, so that it happens once however often
 * Farebox is started. `previous` is the account of the last complete start, which stays as it is.
 */
export async function fundDemoAccount(
  admin: AdminContext,
  accountId: string,
  previous: string | undefined,
): Promise<void> {
  if (accountId === previous) return;
  await runAdmin(admin, ['account', 'activate', accountId], anything);
  const amount = ['--amount', '25.00', '--reference', 'demo-start', '--yes'];
  await runAdmin(admin, ['account', 'fund', accountId, ...amount], anything);
}

/** A new API key of the account. */
export async function createDemoKey(admin: AdminContext, accountId: string): Promise<string> {
  return (await runAdmin(admin, ['key', 'create', accountId, '--name', 'demo'], createdKey)).key;
}

/**
 * A link that signs a browser in as the account, once; `undefined` if it may not sign in, because it was suspended.
 */
export async function createDemoLink(admin: AdminContext): Promise<string | undefined> {
  const args = ['account', 'invite', '--email', EMAIL, '--no-mail'];
  try {
    return (await runAdmin(admin, args, createdLink)).link;
  } catch (error) {
    if (error instanceof LaunchError) return undefined;
    throw error;
  }
}

/** A link that signs a browser in as the owner of this Farebox, once. */
export async function createOperatorLink(admin: AdminContext): Promise<string> {
  await runAdmin(admin, ['operator', 'add', EMAIL, '--role', 'owner'], anything);
  return (await runAdmin(admin, ['operator', 'link', EMAIL], createdLink)).link;
}

/** A new session of the account. */
export async function createDemoSession(admin: AdminContext, accountId: string): Promise<string> {
  return (await runAdmin(admin, ['session', 'create', accountId], createdSession)).session_token;
}

async function createAccount(admin: AdminContext): Promise<string> {
  const args = ['account', 'create', '--email', EMAIL, '--name', 'Demo'];
  return (await runAdmin(admin, args, createdAccount)).account_id;
}

async function findAccount(databaseUrl: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [EMAIL]);
    return rows[0] && toPublicId('acct', rows[0].id);
  } finally {
    await client.end();
  }
}

/**
 * Whether a credential is still valid: any response except 401. A suspended account's key, say, is refused, but it is
 * still the account's key.
 */
export async function isRecognised(url: string, token: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    signal,
  });
  await response.arrayBuffer();
  return response.status !== 401;
}

const run = promisify(execFile);

export interface AdminContext {
  root: string;
  env: NodeJS.ProcessEnv;
  interrupt: AbortSignal;
}

/** Runs the admin command, like an operator, and parses its JSON output. Throws LaunchError if it fails. */
export async function runAdmin<Answer>(
  { root, env, interrupt }: AdminContext,
  args: readonly string[],
  answer: z.ZodType<Answer>,
): Promise<Answer> {
  try {
    const { stdout } = await run(process.execPath, [...bundleArgs(root, 'admin'), ...args, '--json'], {
      cwd: root,
      env,
      signal: interrupt,
    });
    return answer.parse(JSON.parse(stdout));
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const reason = said === '' && error instanceof Error ? error.message : said;
    throw new LaunchError(`The admin command "${args.slice(0, 2).join(' ')}" failed: ${reason}`);
  }
}
