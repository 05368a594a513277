import { join } from 'node:path';
import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import { UPSTREAM_SECRET, UPSTREAM_SECRET_VARIABLE } from '../gateway-harness';

const lowered = (texts: readonly string[]): string[] => texts.map((text) => text.toLowerCase());

const OF_THE_UPSTREAM = lowered([...UPSTREAM_CANARIES, UPSTREAM_SECRET]);
/** The folder of this checkout, and other details of where and how the service runs. */
const OF_THE_MACHINE = lowered([
  join(__dirname, '../../../..'),
  'node_modules',
  'node:internal',
  UPSTREAM_SECRET_VARIABLE,
]);
const STACK_TRACE = /(?:\n|\\n)\s+at \S/;
const API_KEY = /ak-[0-9A-Za-z]{38}/;

/** Finds data in an answer that no client may see. */
export function findSecrets(text: string): string[] {
  const lower = text.toLowerCase();
  const found = [...OF_THE_UPSTREAM, ...OF_THE_MACHINE].filter((secret) => lower.includes(secret));
  return STACK_TRACE.test(text) ? [...found, 'a stack trace'] : found;
}

/**
 * Finds data in a log line that even operators must not see. They may see the failure and its place in the
 * code.
 */
export function findLoggedSecrets(line: string): string[] {
  const lower = line.toLowerCase();
  const found = OF_THE_UPSTREAM.filter((secret) => lower.includes(secret));
  return API_KEY.test(line) ? [...found, 'an API key'] : found;
}
