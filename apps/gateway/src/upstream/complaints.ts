import type { SpeechChange } from './speech';

/** Statuses with which a server rejects a request, or says that it does not serve the model this way. */
const STATUSES = new Set([400, 404, 422]);

interface Complaint {
  /** Matches the server's error text. */
  words: RegExp;
  /** `named`: the first group of the pattern. */
  change: SpeechChange | ((named: string) => SpeechChange);
}

/** Matches a field of a message that a closed schema rejects, in the words of Groq, Mistral and OpenAI. */
const unknownField = (field: string): RegExp =>
  new RegExp(
    `property '${field}' is unsupported|extra_forbidden[^{}]*"${field}"|"${field}"[^{}]*extra_forbidden|` +
      `(?:unrecognized|unknown|unsupported)[^.]{0,60}\\b${field}\\b`,
    'i',
  );

/**
 * Refusals that say which form of request a server wants. The request is sent again in that form, which is
 * remembered if it is answered: see `KnownSpeech`. Sources: the reports that the tests name.
 */
const COMPLAINTS: readonly Complaint[] = [
  {
    words: /\bv1\/responses|not a chat model and thus not supported in the v1\/chat\/completions/i,
    change: { wire: 'responses' },
  },
  {
    words: /must be a-z, A-Z, 0-9, with a length of 9/i,
    change: { dialect: { callIds: 'alphanumeric_9' } },
  },
  { words: /missing a? ?`?thought_?signature/i, change: { dialect: { callSignatures: 'google' } } },
  {
    words: /reasoning_content[^.]{0,80}must be (?:passed|sent) back|missing `?reasoning_content/i,
    change: { dialect: { historyReasoning: 'reasoning_content' } },
  },
  { words: unknownField('reasoning_content'), change: { dialect: { historyReasoning: 'none' } } },
  { words: unknownField('reasoning'), change: { dialect: { historyReasoning: 'none' } } },
  { words: unknownField('extra_content'), change: { dialect: { callSignatures: 'none' } } },
  { words: unknownField('refusal'), change: { dialect: { refusal: 'text' } } },
  {
    words: new RegExp(`${unknownField('phase').source}|input\\[\\d+\\]\\.phase\\b`, 'i'),
    change: { dialect: { omit: ['phase'] } },
  },
  { words: unknownField('name'), change: { dialect: { messageNames: 'none' } } },
  {
    words: /thinking\.type\.enabled\W+is not supported|use \W?thinking\.type\.adaptive/i,
    change: { dialect: { thinking: 'adaptive' } },
  },
  {
    words: /\bmax_tokens\b[^.]{0,60}(?:not supported|unsupported)[^]*max_completion_tokens/i,
    change: { maxTokensField: 'max_completion_tokens' },
  },
  {
    words:
      /(?:role|messages)[^]{0,200}\bdeveloper\b|\bdeveloper\b[^]{0,200}\brole\b|unexpected message role/i,
    change: { dialect: { roleDeveloper: 'system' } },
  },
  {
    words:
      /unexpected role "system"|unknown variant `system`|role \W?system\W? is not supported|'user' or 'assistant'[^]{0,30}\bsystem\b/i,
    change: { dialect: { roleSystem: 'user' } },
  },
  {
    words:
      /encrypted content\b[^.]{0,80}\bcould not be (?:verified|decrypted)|invalid_encrypted_content|invalid `signature` in `thinking`|thought signature is not valid/i,
    change: { leavesOutSeals: true },
  },
  {
    words: /verified to generate reasoning summaries|reasoning\.summary/i,
    change: { dialect: { omit: ['reasoning.summary'] } },
  },
  {
    words:
      /\btools?\b[^]{0,200}\b(?:custom|local_shell|shell|apply_patch|tool_search)\b[^]{0,120}(?:support|invalid|unknown|expected|unrecogni[sz]ed)|(?:unsupported|invalid|unknown|unexpected|not supported|unrecogni[sz]ed)[^]{0,120}\b(?:tool|type)s?\b[^]{0,80}\b(?:custom|local_shell|shell|apply_patch|tool_search)\b|invalid value: '?(?:custom|local_shell|shell|apply_patch|tool_search)\b/i,
    change: { dialect: { customTools: 'functions' } },
  },
  { words: /encrypted content is not supported/i, change: { dialect: { omit: ['include'] } } },
  {
    words:
      /(?:unsupported parameter|unrecognized request argument supplied|argument not supported on this model): '?(temperature|top_p|seed|logit_bias|presence_penalty|frequency_penalty|logprobs|top_logprobs|parallel_tool_calls|stream_options)\b/i,
    change: (named) => ({ dialect: { omit: [named] } }),
  },
];

/** The form of request that the server wants, if it refused the request for that. */
export function complaintOf(status: number, body: string): SpeechChange | undefined {
  if (!STATUSES.has(status)) return undefined;
  const text = body.replaceAll('\\"', '"');
  for (const { words, change } of COMPLAINTS) {
    const found = words.exec(text);
    if (found) return typeof change === 'function' ? change(found[1] ?? '') : change;
  }
  return undefined;
}
