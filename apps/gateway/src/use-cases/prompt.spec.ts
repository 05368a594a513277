import { chatCompletionRequest } from '@farebox/contracts';
import { promptOf } from './prompt';

const promptOfBody = (body: object) => promptOf(chatCompletionRequest.parse({ model: 'small', ...body }));
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };

describe('every text of a request that a model is given is part of its prompt', () => {
  it.each<[string, object, string[]]>([
    ['a text', { role: 'user', content: 'Hello' }, ['Hello']],
    [
      'the parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'two' },
        ],
      },
      ['One', 'two'],
    ],
    ['a name', { role: 'system', content: 'Hello', name: 'house' }, ['house', 'Hello']],
    ['a refusal', { role: 'assistant', refusal: 'No.' }, ['No.']],
    ['a refusal in a part', { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }, ['No.']],
    [
      'the reasons',
      { role: 'assistant', content: 'Yes', reasoning_content: 'Because.' },
      ['Yes', 'Because.'],
    ],
    ['the tools that were called', { role: 'assistant', tool_calls: [call] }, [JSON.stringify([call])]],
    [
      'the function that was called',
      { role: 'assistant', function_call: call.function },
      [JSON.stringify(call.function)],
    ],
    [
      "a tool's answer",
      { role: 'tool', content: '18', tool_call_id: 'call_1', name: 'weather' },
      ['weather', '18', 'call_1'],
    ],
    ["a function's answer", { role: 'function', content: '18', name: 'weather' }, ['weather', '18']],
  ])('%s', (_name, message, texts) => {
    expect(promptOfBody({ messages: [message] })).toMatchObject({
      texts,
      images: 0,
      messages: 1,
      hasTools: false,
    });
  });

  it('the definitions of tools and of the answer', () => {
    const tools = [{ type: 'function', function: { name: 'weather' } }];
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: { type: 'object' } },
    };
    const messages = [{ role: 'user', content: 'Hello' }];
    expect(promptOfBody({ messages, tools, response_format })).toEqual({
      texts: ['Hello'],
      definitions: [JSON.stringify(tools), JSON.stringify(response_format)],
      images: 0,
      files: 0,
      messages: 1,
      hasTools: true,
      extraTokens: 0,
    });
  });

  it('images, which are counted', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const content = [{ type: 'text', text: 'Look' }, image, image];
    expect(promptOfBody({ messages: [{ role: 'user', content }] })).toMatchObject({
      texts: ['Look'],
      images: 2,
      messages: 1,
    });
  });
});
