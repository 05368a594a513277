import { join } from 'node:path';
import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import { UPSTREAM_SECRET, UPSTREAM_SECRET_VARIABLE } from '../gateway-harness';

const lowered = (texts: readonly string[]): string[] => texts.map((text) => text.toLowerCase());

const OF_THE_UPSTREAM = lowered([...UPSTREAM_CANARIES, UPSTREAM_SECRET]);
/** The folder of this checkout, and what else tells where and how the service runs. */
const OF_THE_MACHINE = lowered([
  join(__dirname, '../../../..'),
  'node_modules',
  'node:internal',
  UPSTREAM_SECRET_VARIABLE,
]);
const STACK_TRACE = /(?:\n|\\n)\s+at \S/;
const API_KEY = /ak-[0-9A-Za-z]{38}/;

/** What an answer has in it that no client may be told. */
export function findSecrets(text: string): string[] {
  const lower = text.toLowerCase();
  const found = [...OF_THE_UPSTREAM, ...OF_THE_MACHINE].filter((secret) => lower.includes(secret));
  return STACK_TRACE.test(text) ? [...found, 'a stack trace'] : found;
}

/** What a line of the log has in it that not even the operator is told. What failed, and where in the code, they are. */
export function findLoggedSecrets(line: string): string[] {
  const lower = line.toLowerCase();
  const found = OF_THE_UPSTREAM.filter((secret) => lower.includes(secret));
  return API_KEY.test(line) ? [...found, 'an API key'] : found;
}
