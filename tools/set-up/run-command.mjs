import { spawn } from 'node:child_process';

const KEPT_CHARS = 20_000;
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A command that set-up needs did not succeed. The message is for a person, and complete. */
export class SetUpError extends Error {}

/**
 * Runs a Node script to its end. Its output goes to standard error where `shown`, else it is told only if it fails.
 * A signal to this process ends the script, and then this process.
 */
export async function runScript(what, script, args, { shown = false, env = process.env, cwd } = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    env,
    cwd,
    stdio: shown ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-KEPT_CHARS);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);

  let interruption;
  const forward = (signal) => {
    interruption = signal;
    child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  const code = await exitCodeOf(child);
  for (const signal of FORWARDED) process.off(signal, forward);

  if (interruption) process.exit(interruption === 'SIGINT' ? 130 : 143);
  if (code !== 0) throw new SetUpError(`${output}${what} failed (${code}).`);
}

function exitCodeOf(child) {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
}
