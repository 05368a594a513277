import { chooseRun } from './agent-runs';
import { startSimulatedUpstream, type SimulatedUpstream } from './server';

const tool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
  type: 'function' as const,
  function: { name, parameters },
});
const SHELL = tool('Bash', { type: 'object', properties: { command: { type: 'string' } } });
const asked = (content: string) => [{ role: 'user' as const, content }];
const told = (content: string) => ({ role: 'tool' as const, content });
const RUN = 'Run this command: `date`';

describe('the next call of an agent', () => {
  const nameOf = (tools: (typeof SHELL)[], messages: Parameters<typeof chooseRun>[0]['messages']) =>
    chooseRun({ model: 'sim-agent', tools, messages })?.tool.function.name;

  it('is its shell, once', () => {
    expect(chooseRun({ model: 'sim-agent', tools: [SHELL], messages: asked(RUN) })).toEqual({
      tool: SHELL,
      arguments: { command: 'date' },
    });
    expect(nameOf([SHELL], [...asked(RUN), told('Monday')])).toBeUndefined();
  });

  it('is its shell again while the result says so, but not after another request', () => {
    const worked = [...asked(RUN), told('Run it again.'), told('Run it again.')];
    const reminder = { role: 'system' as const, content: 'Be short.' };
    expect(chooseRun({ model: 'sim-agent', tools: [SHELL], messages: [...worked, reminder] })).toEqual({
      tool: SHELL,
      arguments: { command: 'date # again: 2' },
    });
    expect(nameOf([SHELL], [...worked, ...asked('Sum it up.')])).toBeUndefined();
    expect(nameOf([SHELL], [...worked, told('Monday')])).toBeUndefined();
  });

  it('is the search for a tool, then that tool, then its shell', () => {
    const messages = asked(`Find this tool: \`Clock\`. ${RUN}`);
    const search = tool('ToolSearch');
    expect(chooseRun({ model: 'sim-agent', tools: [SHELL, search], messages })).toEqual({
      tool: search,
      arguments: { query: 'select:Clock' },
    });
    const found = [...messages, told('Clock')];
    expect(nameOf([SHELL, search, tool('Clock')], found)).toBe('Clock');
    expect(nameOf([SHELL, search, tool('Clock')], [...found, told('noon')])).toBe('Bash');
    expect(nameOf([SHELL, search], found)).toBeUndefined();
  });
});

describe('sim-agent-<tokens>', () => {
  let upstream: SimulatedUpstream;
  beforeAll(async () => {
    upstream = await startSimulatedUpstream();
  });
  afterAll(() => upstream.close());

  const ask = async (path: string, model: string, more: object): Promise<string> => {
    const init = { method: 'POST', body: JSON.stringify({ model, ...more }) };
    const response = await fetch(`${upstream.url}/${path}`, init);
    return `${String(response.status)} ${await response.text()}`;
  };

  it.each([
    ['chat/completions', { messages: asked(RUN) }, 400, /maximum context length is 5 tokens.*_exceeded/],
    ['messages', { messages: asked(RUN), max_tokens: 9 }, 400, /prompt is too long: \d+ tokens > 5 maximum/],
    ['responses', { input: RUN }, 400, /exceeds the context window.*context_length_exceeded/],
    ['responses', { input: RUN, stream: true }, 200, /response\.failed.*context_length_exceeded/s],
  ])('refuses a longer prompt at %s in the words of its vendor', async (path, more, status, words) => {
    const refused = await ask(path, 'sim-agent-5', more);
    expect(refused).toMatch(words);
    expect(refused).toMatch(new RegExp(`^${String(status)} `));
    expect(await ask(path, 'sim-agent-5000', more)).toMatch(/^200 .*(?:stop|end_turn|completed)/s);
  });
});
