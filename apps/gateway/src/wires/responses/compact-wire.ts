import type { ResponsesResponse } from '@farebox/api';
import { responsesOperations } from '@farebox/api/operations';
import type { Wire } from '../wire';
import { readResponses, readResponsesInTurns, responsesWire } from './responses-wire';

/**
 * `POST /v1/responses/compact`: the same as a non-streamed response whose input ends in a
 * `compaction_trigger`. Source: Open Responses specification of 2026-04-24.
 */
export const compactWire: Wire = {
  ...responsesWire,
  path: responsesOperations.compactResponse.path,
  read: (value) => readResponses(withTrigger(value), toCompacted),
  readInTurns: (value) => readResponsesInTurns(withTrigger(value), toCompacted),
};

function withTrigger(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('input' in value)) return value;
  const { input } = value;
  if (typeof input !== 'string' && !Array.isArray(input)) return value;
  const items: unknown[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return { ...value, stream: false, input: [...items, { type: 'compaction_trigger' }] };
}

function toCompacted({ id, created_at, output, usage }: ResponsesResponse): object {
  return { id, object: 'response.compaction', created_at, output, usage };
}
