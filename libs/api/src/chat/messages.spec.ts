import { readAsked, refusalOf, refusedIn, saying } from '../../test/asked';
import { CHAT_REQUEST_LIMITS } from '../fields';

const { partsOfMessage, toolCallsOfMessage } = CHAT_REQUEST_LIMITS;

const text = { type: 'text', text: 'Look:' };
const image = (url: string, more: object = {}) => ({ type: 'image_url', image_url: { url, ...more } });
const looking = (url: string, more: object = {}) =>
  saying({ role: 'user', content: [text, image(url, more)] });
const PDF = 'data:application/pdf;base64,JVBERi0=';
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
const calling = (more: object) => saying({ role: 'assistant', tool_calls: [{ ...call, ...more }] });
const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const thoughts = { role: 'assistant', content: null, reasoning_content: 'I think' };
const custom = {
  role: 'assistant',
  tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'sh', input: 'ls' } }],
};

describe('a message is accepted', () => {
  it.each<[string, object]>([
    ['of the system', { role: 'system', content: 'Be brief.', name: 'house' }],
    ['of the developer', { role: 'developer', content: [text] }],
    ['of the user', { role: 'user', content: 'Hello', name: 'Ada' }],
    ['that is empty', { role: 'user', content: '' }],
    ['of many parts', { role: 'user', content: many(partsOfMessage, text) }],
    ['of the assistant', { role: 'assistant', content: 'Hello', name: 'house' }],
    ['that refuses', { role: 'assistant', content: null, refusal: 'No.' }],
    ['that refuses in a part', { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }],
    ['that calls tools', { role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'call_2' }] }],
    ['that calls many tools', { role: 'assistant', tool_calls: many(toolCallsOfMessage, call) }],
    ['with its reasoning', { role: 'assistant', content: 'Yes', reasoning_content: 'Because.' }],
    ['of a tool', { role: 'tool', content: '18', tool_call_id: 'call_1' }],
    ['of a tool with its name', { role: 'tool', content: [text], tool_call_id: 'call_1', name: 'weather' }],
    ['of a function', { role: 'function', content: '18', name: 'weather' }],
    ['that called a function', { role: 'assistant', content: null, function_call: call.function }],
    [
      'as the service answers it',
      { role: 'assistant', content: null, refusal: null, reasoning_content: 'Hm.', tool_calls: [call] },
    ],
  ])('%s', (_name, message) => {
    expect(readAsked(saying(message)).messages).toEqual([message]);
  });

  it.each<[string, object, object]>([
    [
      'with a file',
      { role: 'user', content: [{ type: 'file', file: { file_data: PDF, filename: 'a.pdf' } }] },
      { role: 'user', content: [{ type: 'file', file: { file_data: PDF, filename: 'a.pdf' } }] },
    ],
    [
      'with a name that is null',
      { role: 'user', content: 'Hello', name: null },
      { role: 'user', content: 'Hello' },
    ],
    [
      'that calls no tools, in words',
      { role: 'assistant', content: 'Hello', tool_calls: [] },
      { role: 'assistant', content: 'Hello' },
    ],
    [
      'that names its reasons as others do',
      { role: 'assistant', content: 'Yes', reasoning: 'Because.' },
      { role: 'assistant', content: 'Yes', reasoning_content: 'Because.' },
    ],
    [
      'as a library hands it out',
      {
        role: 'assistant',
        content: '{"a":1}',
        refusal: null,
        parsed: { a: 1 },
        annotations: [],
        audio: null,
        provider_specific_fields: { x: 1 },
        tool_calls: [{ ...call, function: { ...call.function, parsed_arguments: { city: 'Rome' } } }],
      },
      { role: 'assistant', content: '{"a":1}', refusal: null, tool_calls: [call] },
    ],
    ['without content', { role: 'assistant' }, { role: 'assistant' }],
    ['that thinks alone', thoughts, thoughts],
    [
      'of no parts and no calls',
      { role: 'assistant', content: [], tool_calls: [] },
      { role: 'assistant', content: '' },
    ],
    [
      'of a tool that answers with an image',
      { role: 'tool', tool_call_id: 'a', content: [text, image('https://example.com/a.png')] },
      { role: 'tool', tool_call_id: 'a', content: [text, image('https://example.com/a.png')] },
    ],
    ['that calls a custom tool', custom, custom],
    [
      'with an id of another service',
      { role: 'tool', tool_call_id: `functions.f:0 ${'x'.repeat(5_000)}`, content: '18' },
      { role: 'tool', tool_call_id: `functions.f:0 ${'x'.repeat(5_000)}`, content: '18' },
    ],
  ])('%s', (_name, message, taken) => {
    expect(readAsked(saying(message)).messages).toEqual([taken]);
  });

  it.each([
    'https://example.com/a.png',
    'https://example.com:8443/a?size=1',
    'https://example.com./a.png',
    'https://local.example.com/a.png',
    'https://bücher.example.com/a.png',
    'https://例え.jp/a.png',
    'data:image/png;base64,iVBORw0KGgo=',
    'data:image/webp;base64,UklGRg',
  ])('with the image %s', (url) => {
    for (const detail of ['auto', 'low', 'high'])
      expect(refusedIn(looking(url, { detail }))).toBe('accepted');
  });

  it.each([
    ['HTTPS://Example.COM:443/a%20b.png', 'https://example.com/a%20b.png'],
    ['https://example.com', 'https://example.com/'],
    ['https://example.com?@127.0.0.1/', 'https://example.com/?@127.0.0.1/'],
    ['https://example.com#@127.0.0.1/', 'https://example.com/#@127.0.0.1/'],
    ['https:example.com/a.png', 'https://example.com/a.png'],
    ['https:///example.com/a.png', 'https://example.com/a.png'],
    ['https://example.com/x/../a.png', 'https://example.com/a.png'],
    ['https://b\u00fccher.example.com/\u00fc.png', 'https://xn--bcher-kva.example.com/%C3%BC.png'],
    ['https://exa\u00admple.com/a.png', 'https://example.com/a.png'],
    ['https://example.com/@ada/a.png', 'https://example.com/@ada/a.png'],
    ['data:image/png;base64,iVBORw0KGgo=', 'data:image/png;base64,iVBORw0KGgo='],
  ])('with the image %s, which is read as %s', (url, address) => {
    const content = [text, image(address)];
    expect(readAsked(looking(url)).messages).toEqual([{ role: 'user', content }]);
  });
});

describe('a message is refused by the name of the invalid field', () => {
  it.each<[string, object]>([
    ['messages[0]', { messages: ['Hello'] }],
    ['messages[0]', { messages: [null] }],
    ['messages[0].role', saying({ content: 'Hello' })],
    ['messages[0].role', saying({ role: 'wizard', content: 'Hello' })],
    ['messages[0].content', saying({ role: 'user' })],
    ['messages[0].content', saying({ role: 'user', content: null })],
    ['messages[0].content', saying({ role: 'user', content: 7 })],
    ['messages[0].content', saying({ role: 'user', content: [] })],
    ['messages[0].content', saying({ role: 'user', content: many(partsOfMessage + 1, text) })],
    ['messages[0].content[1].type', saying({ role: 'user', content: [text, { type: 'video' }] })],
    [
      'messages[0].content[0].type',
      saying({ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }),
    ],
    [
      'messages[0].content[0].file.file_data',
      saying({ role: 'user', content: [{ type: 'file', file: { file_data: 'https://example.com/a.pdf' } }] }),
    ],
    [
      'messages[0].content[0].file.file_id',
      saying({ role: 'user', content: [{ type: 'file', file: { file_data: PDF, file_id: 'file-1' } }] }),
    ],
    [
      'messages[0].content[0].type',
      saying({ role: 'system', content: [{ type: 'file', file: { file_data: PDF } }] }),
    ],
    ['messages[0].content[0].text', saying({ role: 'user', content: [{ type: 'text' }] })],
    [
      'messages[0].content[0].type',
      saying({ role: 'system', content: [image('https://example.com/a.png')] }),
    ],
    [
      'messages[0].content[0].type',
      saying({ role: 'assistant', content: [image('https://example.com/a.png')] }),
    ],
    ['messages[0].content[0].type', saying({ role: 'user', content: [{ type: 'refusal', refusal: 'No.' }] })],
    ['messages[0].name', saying({ role: 'user', content: 'Hello', name: '' })],
    ['messages[0].name', saying({ role: 'user', content: 'Hello', name: 'x'.repeat(65) })],
    ['messages[0].tool_calls', saying({ role: 'assistant', tool_calls: many(toolCallsOfMessage + 1, call) })],
    ['messages[0].tool_calls[0].id', calling({ id: '' })],
    ['messages[0].tool_calls[0].id', calling({ id: 'x'.repeat(65_537) })],
    ['messages[0].tool_calls[0].type', calling({ type: 'mcp' })],
    ['messages[0].tool_calls[0].custom', calling({ type: 'custom' })],
    ['messages[0].tool_calls[0].function.name', calling({ function: { name: '', arguments: '' } })],
    ['messages[0].tool_calls[0].function.arguments', calling({ function: { name: 'f', arguments: {} } })],
    ['messages[0].tool_call_id', saying({ role: 'tool', content: '18' })],
    ['messages[0].content', saying({ role: 'tool', tool_call_id: 'call_1' })],
    ['messages[0].name', saying({ role: 'function', content: '18' })],
  ])('%s', (param, more) => {
    expect(refusedIn(more)).toBe(param);
  });

  it('the invalid one among many', () => {
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'user', content: 7, x: 1 },
    ];
    expect(refusedIn({ messages })).toBe('messages[1].content');
  });
});

describe('an image is refused that could only be near the upstream, or nowhere', () => {
  it.each([
    'http://example.com/a.png',
    'http://169.254.169.254/latest/meta-data/',
    'https://169.254.169.254/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/a.png',
    'https://[fd00::1]/a.png',
    'https://localhost/a.png',
    'https://redis:6379/',
    'https://metadata.google.internal/',
    'https://printer.local/a.png',
    'https://x.localhost./a.png',
    'https://user:password@example.com/a.png',
    'https://user@example.com/a.png',
    'https://:password@example.com/a.png',
    'https://localhost./',
    'https://redis./',
    'https://redis../',
    'https://example.com../a.png',
    'https://.example.com/a.png',
    'https://127.0.0.1./',
    'https://2130706433./',
    'https://017700000001/',
    'https://0x7f000001/',
    'https://①②⑦.0.0.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://printer.home.arpa/',
    'https://router.lan/',
    'https://wiki.corp./',
    'https://redis.default.svc/',
    'https://db.localdomain/',
    'https://a.test/',
    'https://a.onion/',
    'https://LOCALHOST%2e/',
    'https://printer。local/',
    'https://example.com\\@127.0.0.1/a.png',
    'https://example.com\\.example.org/a.png',
    'https:\\\\example.com/a.png',
    'https://example.com/a.png\\',
    'https://example.com\t@127.0.0.1/a.png',
    'https://exam\nple.com/a.png',
    ' https://example.com/a.png',
    'https://example.com/a.png\r\nHost: redis',
    'https://example.com/a\0.png',
    'https://example.com/a\u0085.png',
    'https://example.com/a\u00a0.png',
    'https://example.com/a b.png',
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:text/html;base64,PGI+',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:image/png,raw',
    'data:image/png;base64,',
    'data:image/png;base64,not base64',
    '/a.png',
    '',
    `https://example.com/${'a'.repeat(16_384)}`,
    // Each of its characters takes six in an address.
    `https://example.com/${'é'.repeat(3_000)}`,
  ])('%.50s', (url) => {
    expect(refusalOf(looking(url))).toEqual({
      param: 'messages[0].content[1].image_url.url',
      message: expect.stringContaining('must be an https URL of a public host') as string,
    });
  });

  it('with an unknown detail', () => {
    const param = 'messages[0].content[1].image_url.detail';
    expect(refusedIn(looking('https://example.com/a.png', { detail: 'best' }))).toBe(param);
  });
});
