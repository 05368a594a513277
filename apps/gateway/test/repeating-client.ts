import type { ChatCompletionChunk } from '@farebox/api';
import type { GatewayHarness } from './gateway-harness';

/** A customer who repeats a request under the same Idempotency-Key, and its effects. */
export interface RepeatingClient {
  accountId: string;
  apiKeyId: string;
  secret: string;
  ask(key: string, model: string, more?: object, signal?: AbortSignal): Promise<Response>;
  /** Number of ledger entries of a kind. */
  entries(kind: 'charge' | 'refund'): Promise<number>;
  /** The account's current hold; undefined if there is none. */
  holdId(): Promise<string | undefined>;
}

export async function givenRepeatingClient(harness: GatewayHarness): Promise<RepeatingClient> {
  const given = await harness.givenKey();
  const { secret, accountId } = given;
  return {
    ...given,
    ask: (key, model, more = {}, signal) =>
      harness.complete(secret, model, more, {
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        ...(signal && { signal }),
      }),
    async entries(kind) {
      const sql = 'SELECT 1 FROM ledger_entry WHERE account_id = $1 AND kind = $2';
      return (await harness.db.pool.query(sql, [accountId, kind])).rowCount ?? 0;
    },
    async holdId() {
      const sql = 'SELECT id FROM hold WHERE account_id = $1';
      return (await harness.db.pool.query<{ id: string }>(sql, [accountId])).rows[0]?.id;
    },
  };
}

export const isReplay = (response: Response): boolean =>
  response.headers.get('idempotent-replayed') === 'true';

/** The code of an error answer. */
export async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

/** A stream as assembled by a client, however it was chunked. */
export interface ReadAnswer {
  ids: string[];
  choices: Record<number, ReadChoice>;
  usage: unknown;
}

interface ReadChoice {
  role: string | undefined;
  content: string;
  toolCalls: Record<number, { id: string; name: string; arguments: string }>;
  finishReason: string | null;
}

export function answerOf(chunks: readonly ChatCompletionChunk[]): ReadAnswer {
  const answer: ReadAnswer = { ids: [], choices: {}, usage: undefined };
  answer.ids = [...new Set(chunks.map(({ id, created, model }) => `${id} ${String(created)} ${model}`))];
  for (const chunk of chunks) {
    for (const { index, delta, finish_reason } of chunk.choices) {
      const empty = { role: undefined, content: '', toolCalls: {}, finishReason: null };
      const choice = (answer.choices[index] ??= empty);
      choice.role ??= delta.role;
      choice.content += delta.content ?? '';
      choice.finishReason ??= finish_reason;
      for (const part of delta.tool_calls ?? []) {
        const call = (choice.toolCalls[part.index] ??= { id: '', name: '', arguments: '' });
        call.id += part.id ?? '';
        call.name += part.function?.name ?? '';
        call.arguments += part.function?.arguments ?? '';
      }
    }
    answer.usage = chunk.usage;
  }
  return answer;
}
