/** What an upstream says that it has written. */
export const REPORTED_TOKENS: Readonly<Record<string, string>> = {
  'reports-2-32': '4294967295',
  'reports-9e15': '9e15',
  'reports-past-2-63': '9300000000000000000',
};

/** The models of the stand. Each has the upstream of its name. */
export const MODELS = ['plain', 'large', 'long', ...Object.keys(REPORTED_TOKENS)] as const;

const OUTPUT_TOKENS: Readonly<Record<string, string>> = { large: '4000000', long: '40000' };

/** Its prices are such that one account pays for any number of requests. */
export function catalogOf(upstreamOrigin: string): string {
  const upstreams = MODELS.map((id) => `  - { id: ${id}, base_url: "${upstreamOrigin}/${id}/v1" }`);
  const models = MODELS.map(
    (id) => `  - id: ${id}
    routes: [{ upstream: ${id}, model: ${id} }]
    input_price: 0.01
    output_price: 0.02
    context_window: ${id === 'large' ? '8000000' : '131072'}
    max_output_tokens: ${OUTPUT_TOKENS[id] ?? '4096'}
    tokenizer: o200k_base`,
  );
  return `upstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}\n`;
}
