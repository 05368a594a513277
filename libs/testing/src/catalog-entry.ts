/**
 * The entry of a model in a catalogue file, served by the upstream `sim`: one dollar a million prompt tokens and two a million
 * output tokens.
 */
export const modelOf = (id: string, upstreamModel: string): string => `
  - id: ${id}
    routes: [{ upstream: sim, model: ${upstreamModel} }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
    default_max_output_tokens: 100
    prompt_overhead: { prompt: 16, message: 8 }
    tokenizer: o200k_base`;
