import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SHOWN = 40;

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

/** Where the processor time of V8's profiles went, by function, the most first. Idle time is left out. */
export function describeProfiles(folder: string): string {
  const byFunction = new Map<string, number>();
  for (const file of readdirSync(folder)) {
    addProfile(byFunction, JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as CpuProfile);
  }
  byFunction.delete('(idle)');
  const total = [...byFunction.values()].reduce((sum, us) => sum + us, 0);
  return [...byFunction]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, us]) => `${((us / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
    .join('\n');
}

function addProfile(byFunction: Map<string, number>, { nodes, samples, timeDeltas }: CpuProfile): void {
  const nameOf = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const place = url === '' ? '' : ` ${path.basename(url)}:${String(lineNumber + 1)}`;
      return [id, `${functionName === '' ? '(anonymous)' : functionName}${place}`];
    }),
  );
  samples.forEach((id, i) => {
    const name = nameOf.get(id) ?? '';
    const key = name.startsWith('(idle)') ? '(idle)' : name;
    byFunction.set(key, (byFunction.get(key) ?? 0) + (timeDeltas[i] ?? 0));
  });
}
