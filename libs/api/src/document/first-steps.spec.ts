import { spawnSync } from 'node:child_process';
import { toPicoUsd } from '@farebox/money';
import { toModelTerms, type ModelList } from '../models/schema';
import { CHEAPEST_CHAT_MODEL } from './docs-layout';

const model = (id: string, kind: 'chat' | 'embeddings', input: bigint, output: bigint) => ({
  id,
  object: 'model' as const,
  created: 1_790_000_000,
  owned_by: 'farebox',
  ...toModelTerms({
    kind,
    price: {
      inputPricePico: toPicoUsd(input),
      outputPricePico: toPicoUsd(output),
      steps: [{ abovePromptTokens: 1_000, inputPricePico: toPicoUsd(1n), outputPricePico: toPicoUsd(1n) }],
    },
    contextWindow: 8_192,
    maxOutputTokens: 1_024,
    modalities: ['text'],
  }),
});

const cheapestOf = (data: ModelList['data']): string =>
  spawnSync('sh', ['-c', CHEAPEST_CHAT_MODEL], {
    input: JSON.stringify({ object: 'list', data } satisfies ModelList),
    encoding: 'utf8',
  }).stdout;

it('the first steps take the chat model that costs least, whatever else is in the list', () => {
  const data = [
    model('a-embed', 'embeddings', 10_000n, 0n),
    model('acme/large:2', 'chat', 2_500_000n, 10_000_000n),
    model('acme/small', 'chat', 150_000n, 600_000n),
    model('z-medium', 'chat', 100_000n, 4_000_000n),
  ];
  expect(cheapestOf(data)).toBe('acme/small\n');
  expect(cheapestOf(data.slice(0, 2))).toBe('acme/large:2\n');
});
