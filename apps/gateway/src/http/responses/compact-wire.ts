import type { AnswerIdentity } from '../../use-cases/completion';
import type { ResponsesResponse } from '@farebox/contracts';
import type { Wire } from '../wire';
import { responsesWire } from './responses-wire';

/**
 * `POST /v1/responses/compact`: the same as a response whose input ends in a `compaction_trigger`, in one piece. Source: Open
 * Responses specification of 2026-04-24.
 */
export const compactWire: Wire = {
  ...responsesWire,
  path: '/v1/responses/compact',
  read(value) {
    const asked = responsesWire.read(withTrigger(value));
    const { writer } = asked;
    const toWhole: typeof writer.toWhole = (of, choices, usage) => {
      const whole = writer.toWhole(of, choices, usage);
      return typeof whole === 'string' ? toCompacted(of, whole) : whole;
    };
    return { ...asked, writer: { ...writer, toWhole } };
  },
};

function withTrigger(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('input' in value)) return value;
  const { input } = value;
  if (typeof input !== 'string' && !Array.isArray(input)) return value;
  const items: unknown[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return { ...value, stream: false, input: [...items, { type: 'compaction_trigger' }] };
}

function toCompacted({ created }: AnswerIdentity, whole: string): string {
  const { id, output, usage } = JSON.parse(whole) as ResponsesResponse;
  return JSON.stringify({ id, object: 'response.compaction', created_at: created, output, usage });
}
