import type { SimulatedUpstreamOptions } from './server';

const PREFIX = 'FAREBOX_SIMULATED_UPSTREAM';
const DEFAULT_PORT = 8090;
const HIGHEST_PORT = 65_535;
const HIGHEST_TOKENS_PER_SECOND = 100_000;

type Settings = SimulatedUpstreamOptions & { port: number };

/** Reads the environment of a process of its own; every problem as a sentence. */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Settings | { problems: string[] } {
  const problems: string[] = [];
  const wholeNumber = (name: string, highest: number): number | undefined => {
    const text = environment[name];
    if (text === undefined || text === '') return undefined;
    const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > highest) {
      problems.push(`${name} must be a whole number from 1 to ${String(highest)}, not "${text}".`);
    }
    return value;
  };

  const port = wholeNumber(`${PREFIX}_PORT`, HIGHEST_PORT) ?? DEFAULT_PORT;
  const tokensPerSecond = wholeNumber(`${PREFIX}_TOKENS_PER_SECOND`, HIGHEST_TOKENS_PER_SECOND);
  const apiKey = environment[`${PREFIX}_KEY`];
  const host = environment[`${PREFIX}_HOST`];
  if (problems.length > 0) return { problems };
  return {
    port,
    ...(host && { host }),
    ...(tokensPerSecond && { tokensPerSecond }),
    ...(apiKey && { apiKey }),
  };
}
