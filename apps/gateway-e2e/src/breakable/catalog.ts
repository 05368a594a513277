import { applyCatalog, parseCatalog, type TokenUsage } from '@farebox/catalog';
import type pg from 'pg';
import { MODELS } from '../clients/chat-request';

/** One dollar a million prompt tokens and two a million output tokens. */
export function costNanoOf({ promptTokens, completionTokens }: TokenUsage): bigint {
  return BigInt(promptTokens) * 1_000n + BigInt(completionTokens) * 2_000n;
}

/** Of every model of the stands. */
const TOKENIZER = 'o200k_base';

const modelOf = ([id, upstreamModel]: [string, string]): string => `
  - id: ${id}
    routes: [{ upstream: sim, model: ${upstreamModel} }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
    default_max_output_tokens: 100
    prompt_overhead: { prompt: 16, message: 8 }
    tokenizer: ${TOKENIZER}`;

/** Puts the models that the clients ask for into the database. */
export async function applyModels(pool: pg.Pool, upstreamUrl: string): Promise<void> {
  const text = `
upstreams:
  - { id: sim, base_url: "${upstreamUrl}" }
models: ${Object.entries(MODELS).map(modelOf).join('')}`;
  await applyCatalog(pool, parseCatalog(text, {}));
}
