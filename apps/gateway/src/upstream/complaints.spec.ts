import { complaintOf } from './complaints';

/** Refusals by which servers ask for another form of request, in the words that their users reported. */
it.each([
  // karthink/gptel#1203, nearai/ironclaw#1241
  [
    400,
    {
      object: 'error',
      message: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
      code: '3280',
    },
    { dialect: { callIds: 'alphanumeric_9' } },
  ],
  // janhq/jan#8136
  [
    400,
    {
      error: {
        message:
          "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
      },
    },
    { dialect: { historyReasoning: 'none' } },
  ],
  // charmbracelet/crush#1590
  [
    422,
    {
      object: 'error',
      message: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'messages', 1, 'assistant', 'reasoning_content'],
            msg: 'Extra inputs are not permitted',
          },
        ],
      },
    },
    { dialect: { historyReasoning: 'none' } },
  ],
  // theopenco/llmgateway#3462
  [
    400,
    {
      error: {
        message:
          'messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`',
      },
    },
    { dialect: { roleDeveloper: 'system' } },
  ],
  // songquanpeng/one-api#1135
  [
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      },
    },
    { dialect: { roleSystem: 'user' } },
  ],
  // anthropics/claude-code#63469
  [
    400,
    { error: { message: "messages[1].role must be either 'user' or 'assistant', but got 'system'" } },
    { dialect: { roleSystem: 'user' } },
  ],
  // aattaran/deepclaude#29
  [
    400,
    {
      error: {
        message:
          'Failed to deserialize the JSON body into the target type: messages[1].role: unknown variant `system`, expected `user` or `assistant` at line 1 column 1932',
      },
    },
    { dialect: { roleSystem: 'user' } },
  ],
  // jwadow/kiro-gateway#190
  [
    422,
    {
      detail: [
        {
          type: 'literal_error',
          loc: ['body', 'messages', 1, 'role'],
          msg: "Input should be 'user' or 'assistant'",
          input: 'system',
        },
      ],
    },
    { dialect: { roleSystem: 'user' } },
  ],
  // JustVugg/colibri#725
  [
    400,
    { error: { message: "messages[1]: role 'system' is not supported" } },
    { dialect: { roleSystem: 'user' } },
  ],
  // labring/aiproxy#450
  [
    400,
    [{ error: { message: 'Function call is missing a thought_signature in functionCall parts.' } }],
    { dialect: { callSignatures: 'google' } },
  ],
  // OpenHands/software-agent-sdk#3427
  [
    400,
    {
      error: {
        message:
          '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort".',
      },
    },
    { dialect: { thinking: 'adaptive' } },
  ],
  // BerriAI/litellm#34569
  [
    400,
    {
      error: {
        message:
          "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
      },
    },
    { wire: 'responses' },
  ],
  [
    404,
    { error: { message: 'This model is only supported in v1/responses and not in v1/chat/completions.' } },
    { wire: 'responses' },
  ],
  // platform.openai.com, reasoning models
  [
    400,
    {
      error: {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      },
    },
    { maxTokensField: 'max_completion_tokens' },
  ],
  [
    400,
    { error: { message: "Unsupported parameter: 'temperature' is not supported with this model." } },
    { dialect: { omit: ['temperature'] } },
  ],
  [
    400,
    {
      error: {
        message: 'The encrypted content gAAA... could not be verified.',
        code: 'invalid_encrypted_content',
      },
    },
    { leavesOutSeals: true },
  ],
  [
    400,
    { error: { message: 'messages.1.content.0: Invalid `signature` in `thinking` block' } },
    { leavesOutSeals: true },
  ],
  [
    400,
    { error: { message: 'Your organization must be verified to generate reasoning summaries.' } },
    { dialect: { omit: ['reasoning.summary'] } },
  ],
  [
    400,
    { error: { message: 'Encrypted content is not supported with this model.' } },
    { dialect: { omit: ['include'] } },
  ],
])('%s %j', (status, body, change) => {
  expect(complaintOf(status, JSON.stringify(body))).toEqual(change);
});

it.each([
  [500, 'property "reasoning_content" is unsupported'],
  [429, 'use /v1/responses'],
  [400, 'logit_bias must be a list'],
  [400, ''],
])('%s %s asks for no other form of request', (status, text) => {
  expect(complaintOf(status, JSON.stringify({ error: { message: text } }))).toBeUndefined();
});
