import { chatCompletionRequest } from '@farebox/api';
import { toServedRequest } from '../wires/chat/served-request';
import { coverOf, promptOf } from './body-prompt';
import { USUAL_SPEECH } from './speech';
import { toSentBody } from './upstream-body';

const promptOfBody = (body: object) => {
  const request = toServedRequest(chatCompletionRequest.parse({ model: 'small', ...body }));
  return toSentBody({ request, extraFields: {}, maxOutputTokens: 5 }, USUAL_SPEECH).prompt;
};
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };

describe('every text of a request that a model reads is part of its prompt', () => {
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
    const prompt = promptOfBody({ messages: [message] });
    expect(prompt.texts.toSorted()).toEqual(texts.toSorted());
    expect(prompt).toMatchObject({
      images: 0,
      messages: 1,
      hasTools: false,
    });
  });

  it('the definitions of tools and of the answer format', () => {
    const tools = [{ type: 'function', function: { name: 'weather' } }];
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: { type: 'object' } },
    };
    const messages = [{ role: 'user', content: 'Hello' }];
    expect(promptOfBody({ messages, tools, response_format })).toEqual({
      texts: ['Hello'],
      definitions: [JSON.stringify(tools), JSON.stringify(response_format)],
      options: [],
      bytes: { texts: 5, definitions: bytesOf(tools) + bytesOf(response_format), options: 0 },
      images: 0,
      files: 0,
      messages: 1,
      hasTools: true,
      extraTokens: 0,
    });
  });

  it('images, which are counted per image', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const content = [{ type: 'text', text: 'Look' }, image, image];
    expect(promptOfBody({ messages: [{ role: 'user', content }] })).toMatchObject({
      texts: ['Look'],
      options: ['https://example.com/a.png', 'https://example.com/a.png'],
      images: 2,
      messages: 1,
    });
  });

  it('a line break between two parts, and the template text around a part without text', () => {
    const part = (text: string) => ({ type: 'text', text });
    const content = [part('One'), part('two')];
    expect(promptOfBody({ messages: [{ role: 'user', content }] }).extraTokens).toBe(2);
    const results = [1, 2, 3].map((n) => ({
      type: 'tool_result',
      tool_use_id: `t${String(n)}`,
      content: '',
    }));
    const thoughts = [{ type: 'thinking', thinking: '', signature: 'c2lnbmVk' }];
    const turns = [
      { role: 'assistant', content: thoughts },
      { role: 'user', content: results },
    ];
    expect(promptOf({ messages: turns })).toMatchObject({
      texts: ['', 'c2lnbmVk', 't1', '', 't2', '', 't3', ''],
      messages: 2 + 1 + 3,
    });
  });

  it('options for the answer, beside the prompt', () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const prompt = promptOfBody({ messages, stop: ['END'], logit_bias: { 7: 1 }, temperature: 1 });
    expect(prompt).toMatchObject({ texts: ['Hello'], definitions: [], options: ['{"7":1}', '["END"]'] });
  });

  it('an unknown field, as a definition', () => {
    expect(promptOf({ messages: [], knowledge: ['Bern'] })).toMatchObject({ definitions: ['["Bern"]'] });
  });
});

it('the hold for two servers includes each text as often as the server that gets it most often', () => {
  const of = (...texts: string[]) => promptOf({ messages: texts.map((content) => ({ content })) });
  expect(coverOf([of('a', 'b', 'a'), of('b', 'é', 'b')])).toMatchObject({
    texts: ['a', 'b', 'a', 'é', 'b'],
    bytes: { texts: 6 },
    messages: 3,
  });
});
