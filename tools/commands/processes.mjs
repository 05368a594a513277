// @ts-check
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const KEPT_CHARS = 20_000;
const POLL_MS = 500;
/** @type {NodeJS.Signals[]} */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A command cannot be run in this state. The message is for a person, and complete. */
export class CommandError extends Error {}

/**
 * Runs a Node script to its end. Its output goes to standard error if `shown`, else it is shown only if it fails.
 * A signal to this process ends the script, and then this process.
 * @param {string} what
 * @param {string} script
 * @param {string[]} args
 * @param {{ shown?: boolean, env?: NodeJS.ProcessEnv, cwd?: string }} options
 */
export async function runToEnd(what, script, args, { shown = false, env = process.env, cwd } = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    env,
    cwd,
    stdio: shown ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  /** @param {Buffer} chunk */
  const keep = (chunk) => {
    output = (output + chunk.toString()).slice(-KEPT_CHARS);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);

  /** @type {NodeJS.Signals | undefined} */
  let interruption;
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    interruption = signal;
    child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  const code = await exitCodeOf(child);
  for (const signal of FORWARDED) process.off(signal, forward);

  if (interruption) process.exit(interruption === 'SIGINT' ? 130 : 143);
  if (code !== 0) throw new CommandError(`${output}${what} failed (${String(code)}).`);
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number | string | null>}
 */
function exitCodeOf(child) {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
}

/**
 * Runs a Node script in place of this process, as far as its terminal can tell. Resolves to its exit code.
 * @param {string} script
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
export function runInPlace(script, args, env = process.env) {
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to the script too: it decides how to end, and this process ends after it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

/**
 * Ends this process, as by SIGTERM, when the npm that started it is gone. npm starts a shell that starts this: the
 * shell passes no signal on, and does not notice when npm is killed. `exec` in a script takes the shell's place: then npm
 * itself passes SIGINT and SIGTERM on.
 */
export function endWithNpm() {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = process.env;
  if (!event) return;
  const parent = process.ppid;
  const npm = script?.startsWith('exec ') ? undefined : parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || parentOf(parent) === npm)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

/**
 * Undefined if there is no such process, and always if the system has no /proc.
 * @param {number} pid
 */
function parentOf(pid) {
  try {
    // "pid (command) state parent …": the command may hold anything, parentheses included.
    return readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')
      .at(-1)
      ?.split(' ')[1];
  } catch {
    return undefined;
  }
}
