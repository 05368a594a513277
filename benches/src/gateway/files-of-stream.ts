import { readFileSync } from 'node:fs';
import type { ServiceProcess } from '@farebox/local-services';
import type { FareboxContestant } from './farebox';
import { runWholeLoad } from './load';
import type { Load } from './loads';
import type { readBundleSources } from './profile';

/** The used part of V8's coverage of a script. */
interface ScriptCoverage {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
}

const STREAM: Load = { name: 'a stream', connections: 1, stream: true, pace: { chunks: 5, everyMs: 1 } };
const WARM_UP_MS = 3_000;
const STREAMS_MS = 50;

/**
 * The source files of this repository whose functions are called by a streamed completion of a remembered key, with
 * Redis up and one route, sorted. A timer of the process may add a file. The gateway has the probe `coverage`.
 */
export async function filesOfStream(
  fare: FareboxContestant,
  bundle: string,
  sourceOf: ReturnType<typeof readBundleSources>,
): Promise<string[]> {
  await runWholeLoad(fare, STREAM, WARM_UP_MS);
  await ask(fare.gateway, 'coverage_begun');
  await runWholeLoad(fare, STREAM, STREAMS_MS);
  const { file = '' } = JSON.parse(await ask(fare.gateway, 'coverage_written')) as { file?: string };
  const scripts = JSON.parse(readFileSync(file, 'utf8')) as ScriptCoverage[];
  const functions = scripts.find(({ url }) => url.endsWith(bundle))?.functions ?? [];
  const lineStarts = startsOfLines(readFileSync(bundle, 'utf8'));
  const called = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0);
  const files = called.map(({ functionName, ranges: [whole] }) => {
    const { line, column } = placeOf(whole?.startOffset ?? 0, lineStarts);
    return sourceOf({ functionName, url: bundle, lineNumber: line, columnNumber: column });
  });
  return [...new Set(files)]
    .filter((name) => name !== undefined && /^(apps|libs)\//.test(name))
    .sort() as string[];
}

function ask(service: ServiceProcess, event: string): Promise<string> {
  service.signal('SIGUSR2');
  return service.until(service.output.waitForLine(`"event":"${event}"`));
}

function startsOfLines(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Lines and columns from 0. */
function placeOf(offset: number, lineStarts: readonly number[]): { line: number; column: number } {
  const next = lineStarts.findIndex((start) => start > offset);
  const line = (next < 0 ? lineStarts.length : next) - 1;
  return { line, column: offset - (lineStarts[line] ?? 0) };
}
