import path from 'node:path';
import { toMarkdownTable } from '../figures';
import {
  type CallFrame,
  type CpuProfile,
  packageOf,
  type PlaceTime,
  readProfile,
  type SourceOf,
  type Spent,
  sumOf,
  timeByPlace,
} from './profile';

const SHOWN = 40;
const LEAST_SHOWN = 0.001;

/** Where the processor time of a bundle's process went: by package, by source file and by function, the most first. */
export function describeProfile(profile: CpuProfile, sourceOf: SourceOf): string {
  const spent = readProfile(profile);
  const totalUs = spent.reduce((sum, { us }) => sum + us, 0);
  const byPackage: SourceOf = (frame) => {
    const source = sourceOf(frame);
    return source === undefined ? undefined : packageOf(source);
  };
  return [
    `\n## By package: what is built in, and Node's own modules, are the nearest caller's\n`,
    toTable(timeByPlace(spent, byPackage), totalUs),
    `\n## By source file, in the same way\n`,
    toTable(timeByPlace(spent, sourceOf), totalUs),
    `\n## By function: its own time\n`,
    toMarkdownTable(
      ['function', '%'],
      selfTimes(spent, sourceOf).map(([name, us]) => [name, toPercent(us, totalUs)]),
    ),
  ].join('\n');
}

function toTable(places: readonly PlaceTime[], totalUs: number): string {
  const headers = ['place', 'all %', 'own %', 'built in %', 'Node %'];
  const lines = places
    .filter((time) => sumOf(time) >= totalUs * LEAST_SHOWN)
    .slice(0, SHOWN)
    .map((time) => [
      time.place,
      toPercent(sumOf(time), totalUs),
      toPercent(time.ownUs, totalUs),
      toPercent(time.builtInUs, totalUs),
      toPercent(time.nodeUs, totalUs),
    ]);
  return toMarkdownTable(headers, lines);
}

function selfTimes(spent: readonly Spent[], sourceOf: SourceOf): [name: string, us: number][] {
  const byFunction = new Map<string, number>();
  for (const { stack, us } of spent) {
    const [frame] = stack;
    if (!frame) continue;
    const name = nameOf(frame, sourceOf(frame));
    byFunction.set(name, (byFunction.get(name) ?? 0) + us);
  }
  return [...byFunction].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
}

function nameOf({ functionName, url, lineNumber }: CallFrame, source: string | undefined): string {
  const place = source ?? (url.startsWith('node:') ? url : path.basename(url));
  const at = place === '' ? '' : ` ${place}${source === undefined ? `:${String(lineNumber + 1)}` : ''}`;
  return `${functionName === '' ? '(anonymous)' : functionName}${at}`;
}

function toPercent(us: number, totalUs: number): string {
  return ((us / totalUs) * 100).toFixed(1);
}
