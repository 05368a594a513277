import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

export interface Machine {
  /** The path of a program on the PATH. */
  find: (program: string) => string | undefined;
  /** Runs a command quietly; returns whether it succeeded. */
  run: (command: string, args: readonly string[]) => boolean;
  isRoot: boolean;
  say: (line: string) => void;
}

interface Wanted {
  /** Debian's package has the same name. */
  program: string;
  brew: string;
  /** One sentence with the command to run. */
  missing: (command: string) => string;
}

/**
 * The path of a program that the tests need: from the PATH, else installed by apt if this user may. Throws one sentence
 * with the command to run if there is none: a test is never skipped for it.
 */
export function locateProgram(machine: Machine, { program, brew, missing }: Wanted): string {
  const found = machine.find(program) ?? installByApt(machine, program);
  if (found) return found;
  throw new Error(
    missing(machine.find('brew') ? `brew install ${brew}` : `sudo apt-get install -y ${program}`),
  );
}

/** The paths of the programs of the edge's tests, see `locateProgram`. */
export function locateEdgePrograms(machine: Machine): { haproxy: string; openssl: string } {
  const locate = (program: string): string =>
    locateProgram(machine, {
      program,
      brew: program,
      missing: (command) => `The tests need ${program}: run "${command}".`,
    });
  return { haproxy: locate('haproxy'), openssl: locate('openssl') };
}

/** The machine that this process runs on. */
export function thisMachine(say: (line: string) => void): Machine & { env: NodeJS.ProcessEnv } {
  return {
    env: process.env,
    find: findOnPath,
    run: (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0,
    isRoot: process.getuid?.() === 0,
    say,
  };
}

function installByApt({ find, run, isRoot, say }: Machine, program: string): string | undefined {
  if (!find('apt-get')) return undefined;
  const asRoot = isRoot ? [] : ['sudo', '-n'];
  if (!isRoot && !run('sudo', ['-n', 'true'])) return undefined;
  say(`Installing ${program} with apt-get, which the tests need.`);
  const aptGet = (...args: string[]): boolean => {
    const [command, ...rest] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    return command !== undefined && run(command, rest);
  };
  const install = (): boolean => aptGet('install', '-y', '--no-install-recommends', program);
  return install() || (aptGet('update') && install()) ? find(program) : undefined;
}

function findOnPath(program: string): string | undefined {
  // A user's PATH may lack the folder of Debian's servers.
  const folders = [...(process.env.PATH ?? '').split(path.delimiter).filter(Boolean), '/usr/sbin'];
  return folders.map((folder) => path.join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
