import type { JsonObject } from './json';

/** The version is that of the paths: `/v1`. */
export const INFO: JsonObject = {
  title: 'Farebox',
  version: '1.0.0',
  summary: 'Prepaid model inference with an OpenAI-compatible API.',
  description: [
    'Chat requests to language models, paid for in advance. The traffic is called with an API key, everything else with the session of an account.',
    '**Money** is a decimal string in US dollars with nine places, beside `"currency": "usd"`. **Times** are whole Unix seconds. **Lists** are newest first, take `limit` and `after`, and say with `has_more` whether there is more.',
    '**Errors** have one form and a closed set of codes. Branch on `code`. `x-should-retry` says whether the same request may be sent again, and `Retry-After` when. A path that is not here answers 404 `invalid_request_error`, a method that is not here 405; what is no HTTP at all answers 400, and what does not arrive in time 408.',
    '**Every answer** carries `X-Service-Request-Id`. A client may send its own: 1 to 128 letters, digits, `.`, `_` or `-`.',
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};
