import { readdirSync, readFileSync } from 'node:fs';
import { readProcessStat } from '../processes';

const KIB_PER_MIB = 1_024;

/** The memory of a running process, in MiB. */
export interface ProcessMemory {
  name: string;
  /** As `ps` shows it, with files that several processes map. */
  residentMib: number;
  /** Its own pages, and its share of the memory that PostgreSQL's processes share. */
  ownMib: number;
  /** Resident parts of mapped files, by path. */
  fileMib: ReadonlyMap<string, number>;
}

/** A process and all that it has started, by /proc. Processes that end meanwhile are left out. */
export function readProcessTree(pid: number): ProcessMemory[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((child) => unlessGone(() => ({ child: Number(child), parent: readProcessStat(child).parent })));
  const pids = [pid];
  for (const known of pids)
    pids.push(...parents.flatMap(({ child, parent }) => (parent === String(known) ? [child] : [])));
  return pids.flatMap((one) => unlessGone(() => readProcess(one, one === pid)));
}

function unlessGone<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}

function readProcess(pid: number, isLauncher: boolean): ProcessMemory {
  const folder = `/proc/${String(pid)}`;
  const command = readFileSync(`${folder}/cmdline`, 'utf8').replaceAll('\0', ' ');
  const rollup = readFileSync(`${folder}/smaps_rollup`, 'utf8');
  return {
    name: isLauncher ? 'launcher' : nameOf(command),
    residentMib: fieldOf(rollup, 'Rss'),
    ownMib: fieldOf(rollup, 'Pss_Anon') + fieldOf(rollup, 'Pss_Shmem'),
    fileMib: readFileParts(readFileSync(`${folder}/smaps`, 'utf8')),
  };
}

/** The service whose bundle it runs, by its command line. */
export function nameOf(command: string): string {
  const bundle = /dist\/([\w-]+)\/main\.js/.exec(command)?.[1];
  if (bundle !== undefined) return bundle;
  return /\bpostgres\b/.test(command) ? 'PostgreSQL' : (/([\w-]+)\.cjs/.exec(command)?.[1] ?? command);
}

function fieldOf(text: string, field: string): number {
  return Number(new RegExp(`^${field}: +(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / KIB_PER_MIB;
}

/** Mappings of files in the format of /proc/…/smaps. Shared memory is no file, though Linux names it like one. */
export function readFileParts(smaps: string): Map<string, number> {
  const parts = new Map<string, number>();
  let file: string | undefined;
  for (const line of smaps.split('\n')) {
    const mapping = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line);
    if (mapping) file = /^\/(?!dev\/|SYSV|memfd)/.test(mapping[1] ?? '') ? mapping[1] : undefined;
    else if (file !== undefined && line.startsWith('Rss:'))
      parts.set(file, (parts.get(file) ?? 0) + fieldOf(line, 'Rss'));
  }
  return parts;
}

/** Files that processes map, each once, in MiB: a program that many run is in memory once. */
export function sharedFilesMib(processes: readonly ProcessMemory[]): number {
  const largest = new Map<string, number>();
  for (const { fileMib } of processes)
    for (const [file, mib] of fileMib) largest.set(file, Math.max(mib, largest.get(file) ?? 0));
  return [...largest.values()].reduce((sum, mib) => sum + mib, 0);
}

/** Processes of one name as one, the largest first. */
export function byName(processes: readonly ProcessMemory[]): (ProcessMemory & { count: number })[] {
  const groups = new Map<string, ProcessMemory & { count: number }>();
  for (const { name, residentMib, ownMib } of processes) {
    const sum = groups.get(name) ?? { name, count: 0, residentMib: 0, ownMib: 0, fileMib: new Map() };
    groups.set(name, {
      ...sum,
      count: sum.count + 1,
      residentMib: sum.residentMib + residentMib,
      ownMib: sum.ownMib + ownMib,
    });
  }
  return [...groups.values()].sort((a, b) => b.ownMib - a.ownMib);
}
