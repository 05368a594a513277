import { responsesRequest } from '@farebox/api';
import { toMessages } from './input-messages';

const messagesOf = (...input: object[]) => toMessages(responsesRequest.parse({ model: 'echo', input }));
const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' });
const chatCall = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
const output = (call_id: string, said: unknown = 'seen') => ({
  type: 'function_call_output',
  call_id,
  output: said,
});
const assistant = (text: string) => ({
  type: 'message',
  id: 'msg_1_0',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
const reasoning = (text: string) => ({
  type: 'reasoning',
  id: 'rs_1_0',
  summary: [],
  content: [{ type: 'reasoning_text', text }],
  encrypted_content: 'gAAA',
});
const IMAGE = 'data:image/png;base64,iVBORw0KGgo=';
const PDF = 'data:application/pdf;base64,JVBERi0=';

describe('the conversation', () => {
  it('is a user text after the instructions', () => {
    expect(
      toMessages(responsesRequest.parse({ model: 'echo', instructions: 'Be brief.', input: 'Hi' })),
    ).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('has messages of every role, with or without a type, and all their content', () => {
    const messages = messagesOf(
      { role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { type: 'message', role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look:' },
          { type: 'input_image', image_url: IMAGE, detail: 'original' },
          { type: 'input_image', image_url: IMAGE, detail: 'low' },
          { type: 'input_file', file_data: PDF, filename: 'a.pdf' },
        ],
      },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { role: 'assistant', content: 'Well.' },
    );
    expect(messages).toEqual([
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url: IMAGE, detail: 'high' } },
          { type: 'image_url', image_url: { url: IMAGE, detail: 'low' } },
          { type: 'file', file: { file_data: PDF, filename: 'a.pdf' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { role: 'assistant', content: 'Well.' },
    ]);
  });

  it('makes one message of reasoning, text and calls, and puts outputs after it', () => {
    const user = { role: 'user', content: 'Hi' };
    expect(
      messagesOf(
        user,
        reasoning('Hm.'),
        assistant('Wait.'),
        call('call_a'),
        call('call_b'),
        output('call_a'),
        {
          ...output('call_b'),
          output: [
            { type: 'input_text', text: 'one' },
            { type: 'input_text', text: 'two' },
          ],
        },
      ),
    ).toEqual([
      user,
      {
        role: 'assistant',
        reasoning_content: 'Hm.',
        content: [{ type: 'text', text: 'Wait.' }],
        tool_calls: [chatCall('call_a'), chatCall('call_b')],
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'seen' },
      { role: 'tool', tool_call_id: 'call_b', content: 'one\ntwo' },
    ]);
  });

  it('puts nothing between a call and its output, wherever reasoning and texts stand', () => {
    const items = [call('call_a'), reasoning('Hm.'), assistant('Wait.'), call('call_b')];
    expect(messagesOf(...items, output('call_a'), output('call_b')).map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
      'tool',
    ]);
  });

  it('keeps consecutive texts of the assistant separate', () => {
    expect(messagesOf(assistant('One.'), reasoning('Hm.'), assistant('Two.'))).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'One.' }] },
      { role: 'assistant', reasoning_content: 'Hm.', content: [{ type: 'text', text: 'Two.' }] },
    ]);
  });

  it('moves images of an output to the user, after all outputs of the turn', () => {
    const seen = [{ type: 'input_image', image_url: IMAGE }];
    expect(
      messagesOf(call('call_a'), call('call_b'), output('call_a', seen), output('call_b')).slice(1),
    ).toEqual([
      {
        role: 'tool',
        tool_call_id: 'call_a',
        content: 'The output is attached to the next message of the user.',
      },
      { role: 'tool', tool_call_id: 'call_b', content: 'seen' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the output of call_a:' },
          { type: 'image_url', image_url: { url: IMAGE, detail: undefined } },
        ],
      },
    ]);
  });

  it('reads the summary of reasoning without text, and drops reasoning that nothing follows', () => {
    const summarized = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'In short.' }] };
    expect(messagesOf(summarized, assistant('So.'), reasoning('Hm.'))).toEqual([
      { role: 'assistant', reasoning_content: 'In short.', content: [{ type: 'text', text: 'So.' }] },
    ]);
  });
});
