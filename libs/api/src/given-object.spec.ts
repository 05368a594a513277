import { z } from 'zod';
import { chatCompletionRequest, messagesRequest, responsesRequest } from './index';
import { describeIssue } from './describe-issue';
import { givenObject } from './given-object';

const schema = { type: 'object', properties: { city: { type: 'string' } } };

it('a schema and the arguments of a call are kept, not copied', () => {
  const user = { role: 'user', content: 'Hi' };
  const chat = chatCompletionRequest.parse({
    model: 'm',
    messages: [user],
    tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
  });
  expect(chat.tools?.[0]).toHaveProperty('function.parameters', schema);
  expect((chat.tools?.[0] as { function: { parameters: object } }).function.parameters).toBe(schema);

  const input = { city: 'Rome' };
  const messages = messagesRequest.parse({
    model: 'm',
    max_tokens: 9,
    messages: [user, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }] }],
    tools: [{ name: 'f', input_schema: schema }],
  });
  expect((messages.messages[1]?.content[0] as { input: object }).input).toBe(input);
  expect((messages.tools?.[0] as { input_schema: object }).input_schema).toBe(schema);

  const responses = responsesRequest.parse({
    model: 'm',
    input: 'Hi',
    tools: [{ type: 'function', name: 'f', parameters: schema }],
  });
  expect((responses.tools?.[0] as { parameters: object }).parameters).toBe(schema);
});

it.each([
  [[], "'a' must be an object, not an array."],
  ['x', "'a' must be an object, not a string."],
  [null, "'a' must be an object, not null."],
  [1.5, "'a' must be an object, not a fraction."],
  [undefined, "'a' is required."],
])('%j is no object', (a, message) => {
  const body = { a };
  const [issue] = z.object({ a: givenObject }).safeParse(body).error?.issues ?? [];
  expect(issue && describeIssue(issue, body)).toEqual({ param: 'a', message });
});
