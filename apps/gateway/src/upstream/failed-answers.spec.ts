import { failureOfStatus } from './failed-answers';

/** Each error in the vendor's own words. Sources: their references, and the reports in the comments. */

const google = (message: string, reason?: string): object[] => [
  {
    error: {
      code: 400,
      message,
      status: 'INVALID_ARGUMENT',
      ...(reason && { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }] }),
    },
  },
];
const anthropic = (message: string): object => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
});

describe("an error about the operator's key or payment blames the operator", () => {
  it.each([
    ['Gemini', 400, google('API key not valid. Please pass a valid API key.', 'API_KEY_INVALID')],
    ['Gemini', 400, google('API key expired. Please renew the API key.')],
    ['Gemini', 400, google('User location is not supported for the API use.')],
    [
      'xAI',
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai.',
      },
    ],
    [
      'xAI',
      403,
      {
        code: 'The caller does not have permission to execute the specified operation',
        error: 'Your team 1 has either used all available credits or reached its monthly spending limit.',
      },
    ],
    [
      'Anthropic',
      400,
      anthropic('Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'),
    ],
    ['OpenRouter', 402, { error: { code: 402, message: 'This request requires more credits' } }],
    ['DeepSeek', 402, { error: { message: 'Insufficient Balance', type: 'unknown_error' } }],
    ['OpenAI', 429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }],
    ['OpenAI', 400, { error: { message: 'Billing hard limit', code: 'billing_hard_limit_reached' } }],
    ['OpenAI', 401, { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }],
  ])('%s %s %j', (_vendor, status, body) => {
    expect(failureOfStatus(status, JSON.stringify(body)).kind).toBe('misconfigured');
  });

  it("a quote of the customer's text in an error does not blame the operator", () => {
    const body = { error: { message: 'tools[0].function.name: "API key not valid" does not match' } };
    expect(failureOfStatus(400, JSON.stringify(body)).kind).toBe('refused_request');
  });
});

it("Groq's 413 for a request over the operator's tokens per minute is not an overflow", () => {
  const message =
    'Request too large for model `llama-3.3-70b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 13000, please reduce your message size and try again.';
  const body = { error: { message, type: 'tokens', code: 'rate_limit_exceeded' } };
  expect(failureOfStatus(413, JSON.stringify(body))).toMatchObject({
    kind: 'unavailable',
    isOverContext: false,
  });
});

describe("a filter's refusal of a prompt blames the customer", () => {
  it.each([
    [
      'Azure',
      400,
      {
        error: {
          message:
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: { code: 'ResponsibleAIPolicyViolation' },
        },
      },
    ],
    [
      'OpenRouter',
      403,
      {
        error: {
          message: 'x requires moderation on OpenAI. Your input was flagged for "harassment".',
          code: 403,
          metadata: { reasons: ['harassment'], flagged_input: 'x' },
        },
      },
    ],
    [
      'xAI',
      403,
      {
        code: 'The caller does not have permission to execute the specified operation',
        error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_X',
      },
    ],
    ['Anthropic', 400, anthropic('Output blocked by content filtering policy')],
    ['DeepSeek', 400, { error: { message: 'Content Exists Risk', type: 'invalid_request_error' } }],
    ['Alibaba', 400, { error: { code: 'data_inspection_failed', message: 'Input may contain …' } }],
    [
      'OpenAI',
      400,
      {
        error: {
          message: 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
          code: 'invalid_prompt',
        },
      },
    ],
  ])('%s %s', (_vendor, status, body) => {
    expect(failureOfStatus(status, JSON.stringify(body))).toMatchObject({
      kind: 'refused_request',
      isFiltered: true,
      isOverContext: false,
    });
  });
});

describe('a prompt over the context window is distinguished from other wrong requests', () => {
  it.each([
    ['Anthropic', anthropic('input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000')],
    [
      'Gemini',
      google('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
    ],
    [
      'xAI',
      { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    ],
    ['Groq', { error: { message: 'Please reduce the length of the messages or completion.' } }],
    ['OpenAI', { error: { message: 'Your input exceeds the context window of this model.' } }],
    ['Moonshot', { error: { message: 'Invalid request: Your request exceeded model token limit: 131072' } }],
    ['Zhipu', { error: { code: '1261', message: 'Prompt exceeds max length' } }],
    ['Alibaba', { error: { message: 'Range of input length should be [1, 30720]' } }],
    ['Bedrock', { message: 'Input is too long for requested model.' }],
    ['TGI', { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193' }],
    ['Cohere', { message: 'too many tokens: size limit exceeded by 11326 tokens' }],
  ])('%s', (_vendor, body) => {
    expect(failureOfStatus(400, JSON.stringify(body))).toMatchObject({
      kind: 'refused_request',
      isOverContext: true,
    });
  });
});
