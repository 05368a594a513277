import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

export interface Instruction {
  /** In capitals. */
  keyword: string;
  /** The rest of the instruction, its lines joined. */
  text: string;
}

export interface Stage {
  name: string;
  /** An image, or the name of an earlier stage. */
  base: string;
  instructions: Instruction[];
}

/** The stages of `docker/Dockerfile`, by name. */
export function readDockerfile(): Map<string, Stage> {
  const stages = new Map<string, Stage>();
  let current: Stage | undefined;
  for (const { keyword, text } of instructionsOf(
    readFileSync(join(workspaceRoot(), 'docker/Dockerfile'), 'utf8'),
  )) {
    if (keyword === 'FROM') {
      const [, base = '', name = ''] = /^(?:--platform=\S+ )?(\S+) AS (\S+)$/.exec(text) ?? [];
      current = { name, base, instructions: [] };
      stages.set(name, current);
    } else current?.instructions.push({ keyword, text });
  }
  return stages;
}

/** All instructions of a stage, starting with those of its base. */
export function lineageOf(stages: ReadonlyMap<string, Stage>, name: string): Instruction[] {
  const stage = stages.get(name);
  return stage === undefined ? [] : [...lineageOf(stages, stage.base), ...stage.instructions];
}

/** The environment that an image gives its process. */
export function environmentOf(instructions: readonly Instruction[]): Record<string, string> {
  const pairs = instructions
    .filter(({ keyword }) => keyword === 'ENV')
    .flatMap(({ text }) => text.split(/\s+/))
    .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  return Object.fromEntries(pairs);
}

/** A command in exec form, which starts no shell: `["node", "main.js"]`. Undefined for any other form. */
export function execForm(text: string): string[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every((part) => typeof part === 'string') ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function instructionsOf(file: string): Instruction[] {
  return file
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [keyword = '', ...rest] = line.trim().split(/\s+/);
      return { keyword, text: rest.join(' ') };
    });
}
