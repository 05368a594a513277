import { readAsked, refusalOf, refusedIn } from './asked.stand';
import { CHAT_REQUEST_LIMITS } from './limits';

const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } });
const choosing = (name: string) => ({ type: 'function', function: { name } });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = tool('weather', { description: 'How it is outside.', parameters, strict: true });
const many = (count: number) => Array.from({ length: count }, (_, i) => tool(`tool_${String(i)}`));

describe('tools are accepted', () => {
  it.each<[string, object]>([
    ['with all that they have', { tools: [weather] }],
    ['with no more than a name', { tools: [tool('A-z_0-9')] }],
    ['without strictness', { tools: [tool('a', { strict: null })] }],
    ['as many as may be', { tools: many(CHAT_REQUEST_LIMITS.tools) }],
    ['that need not be called', { tools: [weather], tool_choice: 'auto' }],
    ['that must not be called', { tools: [weather], tool_choice: 'none' }],
    ['one of which must be called', { tools: [weather], tool_choice: 'required' }],
    [
      'of which this one is to be called',
      { tools: [tool('other'), weather], tool_choice: choosing('weather') },
    ],
    ['that are called one at a time', { tools: [weather], parallel_tool_calls: false }],
  ])('%s', (_name, more) => {
    expect(readAsked(more)).toMatchObject(more);
  });
});

describe('tools are refused by the name of what is wrong', () => {
  it.each<[string, object]>([
    ['tools', { tools: [] }],
    ['tools', { tools: 'weather' }],
    ['tools', { tools: many(CHAT_REQUEST_LIMITS.tools + 1) }],
    ['tools[0].type', { tools: [{ ...weather, type: 'custom' }] }],
    ['tools[0].function', { tools: [{ type: 'function' }] }],
    ['tools[0].function.name', { tools: [tool('')] }],
    ['tools[0].function.name', { tools: [tool('a b')] }],
    ['tools[0].function.name', { tools: [tool('x'.repeat(65))] }],
    ['tools[0].function.description', { tools: [tool('a', { description: 7 })] }],
    ['tools[0].function.parameters', { tools: [tool('a', { parameters: [] })] }],
    ['tools[0].function.parameters', { tools: [tool('a', { parameters: { $ref: '#' } })] }],
    ['tools[0].function.strict', { tools: [tool('a', { strict: 'yes' })] }],
    ['tools[1].function.x', { tools: [weather, tool('a', { x: 1 })] }],
    ['tool_choice', { tools: [weather], tool_choice: 'any' }],
    ['tool_choice', { tools: [weather], tool_choice: 7 }],
    ['tool_choice.type', { tools: [weather], tool_choice: { ...choosing('weather'), type: 'tool' } }],
    ['tool_choice.x', { tools: [weather], tool_choice: { ...choosing('weather'), x: 1 } }],
    ['tool_choice.function.name', { tools: [weather], tool_choice: choosing('other') }],
    ['tool_choice.function.name', { tools: [weather], tool_choice: choosing('a b') }],
    ['tool_choice', { tool_choice: 'auto' }],
    ['tool_choice', { tool_choice: choosing('weather') }],
    ['parallel_tool_calls', { parallel_tool_calls: true }],
  ])('%s', (param, more) => {
    expect(refusedIn(more)).toBe(param);
  });

  it('in words that say what may be', () => {
    expect(refusalOf({ tools: [weather], tool_choice: 'any' })).toMatchObject({
      message: `'tool_choice' must be "none", "auto", "required" or a function of the tools.`,
    });
    expect(refusalOf({ tool_choice: 'auto' })).toMatchObject({
      message: "'tool_choice' goes with tools only.",
    });
  });
});
