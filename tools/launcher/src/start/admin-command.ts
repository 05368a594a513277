import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { z } from 'zod';
import { LaunchError } from '../launch-error';

const run = promisify(execFile);

export interface AdminContext {
  root: string;
  env: NodeJS.ProcessEnv;
  interrupt: AbortSignal;
}

/** Runs the admin command, as an operator would, and reads the JSON that it prints. Throws LaunchError if it fails. */
export async function runAdmin<Answer>(
  { root, env, interrupt }: AdminContext,
  args: readonly string[],
  answer: z.ZodType<Answer>,
): Promise<Answer> {
  const program = path.join(root, 'dist/admin/main.js');
  try {
    const { stdout } = await run(process.execPath, [program, ...args, '--json'], {
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
