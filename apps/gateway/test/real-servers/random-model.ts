import { writeFile } from 'node:fs/promises';

/**
 * A model for llama.cpp: Llama's architecture, half a megabyte, random weights. Its text is nonsense made of
 * words and letters, but it is tokenized, sampled, constrained by grammars and cut off like that of any other
 * model. Sources: ggml's docs/gguf.md; llama.cpp's src/llama-arch.cpp, names of keys and tensors.
 */

const WIDTH = 64;
const HEADS = 4;
const HIDDEN = 128;
const BLOCKS = 2;
/** The context that it was "trained" for. The server uses a part of it. */
export const MOST_CONTEXT_TOKENS = 65_536;

const WORDS =
  'a about all an and any are as at be been but by can car day do down each fare find first for from get go had has have her him his how if in into is it its just know like line long look made make many may more my new no not now of on one only or other our out over people platform rail see she so some stop than that the their them then there these they this ticket time to town train tram two up use was water way we were what when which who will with would you your'.split(
    ' ',
  );

/** ChatML with the tool calls of Hermes and Qwen: the server derives the call format from it. */
const CHAT_TEMPLATE = `{% if tools %}<|im_start|>system
Tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}Call: <tool_call>
{"name": ..., "arguments": ...}
</tool_call><|im_end|>
{% endif %}{% for message in messages %}<|im_start|>{{ message.role }}
{% if message.content %}{{ message.content }}{% endif %}{% for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

const TOKEN = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

interface Token {
  text: string;
  type: number;
  /** How likely the model is to write the token without constraints. */
  logit: number;
}

/** So unlikely that the token occurs only if a grammar allows nothing else. */
const UNSAID = -30;
/**
 * Frequent enough to occur several times in a hundred tokens: servers let a model write freely before a
 * forced call.
 */
const FREQUENT = 5;
const TOOL_CALL = '<tool_call>\n';

/** A space is written "▁", as in SentencePiece. Characters without a token are encoded as bytes. */
function toVocabulary(): Token[] {
  const control = ['<s>', '</s>', '<|im_start|>', '<|im_end|>'];
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${hex(byte)}>`);
  const letters = Array.from({ length: 126 - 32 }, (_, at) => String.fromCharCode(33 + at));
  const said = ['▁', '\n', ...letters, ...WORDS.map((word) => `▁${word}`)];
  return [
    { text: '<unk>', type: TOKEN.unknown, logit: UNSAID },
    ...control.map((text) => ({ text, type: TOKEN.control, logit: UNSAID })),
    ...bytes.map((text) => ({ text, type: TOKEN.byte, logit: UNSAID })),
    ...said.map((text) => ({ text, type: TOKEN.normal, logit: 0 })),
    { text: TOOL_CALL, type: TOKEN.normal, logit: FREQUENT },
  ];
}

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

interface Tensor {
  name: string;
  /** The fastest-varying dimension first. */
  dimensions: number[];
  values: Float32Array;
}

/** Writes the model to a file. The same seed writes the same file. */
export async function writeRandomModel(file: string, seed = 1): Promise<void> {
  const vocabulary = toVocabulary();
  const tensors = toTensors(vocabulary, gaussian(seed));
  const infos: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const { name, dimensions, values } of tensors) {
    const sizes = dimensions.map(u64);
    infos.push(text(name), u32(dimensions.length), ...sizes, u32(TENSOR_F32), u64(offset));
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    data.push(bytes, paddingOf(bytes.length));
    offset += bytes.length + paddingOf(bytes.length).length;
  }
  const fields = toFields(vocabulary);
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(GGUF_VERSION),
    u64(tensors.length),
    u64(fields.length),
    ...fields,
    ...infos,
  ]);
  await writeFile(file, Buffer.concat([head, paddingOf(head.length), ...data]));
}

function toFields(vocabulary: readonly Token[]): Buffer[] {
  const tokens = vocabulary.map(({ text: piece }) => text(piece));
  return [
    field('general.architecture', 'string', text('llama')),
    field('general.name', 'string', text('random')),
    field('llama.block_count', 'u32', u32(BLOCKS)),
    field('llama.context_length', 'u32', u32(MOST_CONTEXT_TOKENS)),
    field('llama.embedding_length', 'u32', u32(WIDTH)),
    field('llama.feed_forward_length', 'u32', u32(HIDDEN)),
    field('llama.attention.head_count', 'u32', u32(HEADS)),
    field('llama.attention.head_count_kv', 'u32', u32(HEADS)),
    field('llama.attention.layer_norm_rms_epsilon', 'f32', f32(1e-5)),
    field('llama.rope.dimension_count', 'u32', u32(WIDTH / HEADS)),
    field('tokenizer.ggml.model', 'string', text('llama')),
    field('tokenizer.ggml.tokens', 'array', list('string', tokens)),
    field(
      'tokenizer.ggml.scores',
      'array',
      list(
        'f32',
        vocabulary.map((_, at) => f32(-at)),
      ),
    ),
    field(
      'tokenizer.ggml.token_type',
      'array',
      list(
        'i32',
        vocabulary.map(({ type }) => u32(type)),
      ),
    ),
    field('tokenizer.ggml.unknown_token_id', 'u32', u32(0)),
    field('tokenizer.ggml.bos_token_id', 'u32', u32(1)),
    field('tokenizer.ggml.eos_token_id', 'u32', u32(vocabulary.findIndex((t) => t.text === '<|im_end|>'))),
    field('tokenizer.ggml.add_space_prefix', 'bool', Buffer.from([0])),
    field('tokenizer.chat_template', 'string', text(CHAT_TEMPLATE)),
  ];
}

/** The first number of every state; the others are about 1. No layer changes it. */
const CONSTANT = 8;
/** Its value after the last norm. */
const NORMED_CONSTANT = CONSTANT / Math.sqrt((CONSTANT ** 2 + WIDTH - 1) / WIDTH);

/**
 * The first number of a state is constant, so that its weights in the output layer are a bias: bytes and
 * control tokens are suppressed, and no text ends by itself.
 */
function toTensors(vocabulary: readonly Token[], random: () => number): Tensor[] {
  const matrix = (name: string, columns: number, rows: number, scale: number): Tensor => ({
    name: `${name}.weight`,
    dimensions: [columns, rows],
    values: Float32Array.from({ length: columns * rows }, () => random() * scale),
  });
  const norm = (name: string): Tensor => ({
    name: `${name}.weight`,
    dimensions: [WIDTH],
    values: new Float32Array(WIDTH).fill(1),
  });
  const embedding = matrix('token_embd', WIDTH, vocabulary.length, 1);
  vocabulary.forEach((_, token) => (embedding.values[token * WIDTH] = CONSTANT));
  const output = matrix('output', WIDTH, vocabulary.length, 0.3);
  vocabulary.forEach(({ logit }, token) => (output.values[token * WIDTH] = logit / NORMED_CONSTANT));
  const blocks = Array.from({ length: BLOCKS }, (_, at) => {
    const of = (name: string): string => `blk.${String(at)}.${name}`;
    const writers = [
      matrix(of('attn_output'), WIDTH, WIDTH, 0.1),
      matrix(of('ffn_down'), HIDDEN, WIDTH, 0.1),
    ];
    for (const { values, dimensions } of writers) values.fill(0, 0, dimensions[0]);
    return [
      norm(of('attn_norm')),
      ...['attn_q', 'attn_k', 'attn_v'].map((name) => matrix(of(name), WIDTH, WIDTH, 0.1)),
      norm(of('ffn_norm')),
      matrix(of('ffn_gate'), WIDTH, HIDDEN, 0.1),
      matrix(of('ffn_up'), WIDTH, HIDDEN, 0.1),
      ...writers,
    ];
  });
  return [embedding, ...blocks.flat(), norm('output_norm'), output];
}

/** Reproducible, normally distributed numbers. */
function gaussian(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 1) / 4_294_967_297;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

const GGUF_VERSION = 3;
const ALIGNMENT = 32;
const TENSOR_F32 = 0;
const VALUE = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
type ValueType = keyof typeof VALUE;

const field = (name: string, type: ValueType, value: Buffer): Buffer =>
  Buffer.concat([text(name), u32(VALUE[type]), value]);

const list = (type: ValueType, values: readonly Buffer[]): Buffer =>
  Buffer.concat([u32(VALUE[type]), u64(values.length), ...values]);

const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

const paddingOf = (length: number): Buffer => Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
