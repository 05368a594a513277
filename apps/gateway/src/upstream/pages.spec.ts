import { readWholeAnswer } from './answers';
import { StreamReader } from './stream-reader';

/**
 * Pages at the top of an answer. Source: Perplexity API reference, chat completions; vercel/ai,
 * packages/perplexity.
 */

const pages = {
  citations: ['https://a.example/sf', 'https://b.example/sf'],
  search_results: [{ title: 'SF', url: 'https://a.example/sf', date: '2026-01-01' }],
};
const cited = (url: string, title: string, start_index: number, end_index: number): object => ({
  type: 'url_citation',
  url_citation: { start_index, end_index, url, title },
});

const annotationsOf = (top: object, content: string): unknown => {
  const message = { role: 'assistant', content };
  const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }], ...top };
  return readWholeAnswer(Buffer.from(JSON.stringify(answer))).choices[0]?.message.annotations;
};

it('are annotations of the text that refers to them', () => {
  expect(annotationsOf(pages, 'Many [1].')).toEqual([cited('https://a.example/sf', 'SF', 5, 8)]);
  expect(annotationsOf({ citations: pages.citations }, 'Many [1][2].')).toEqual([
    cited('https://a.example/sf', '', 5, 8),
    cited('https://b.example/sf', '', 8, 11),
  ]);
});

it('are reported even if the text does not refer to them, except entries that are not pages', () => {
  expect(annotationsOf({ citations: ['https://a.example/', 'file:///etc', 7] }, 'Many.')).toEqual([
    cited('https://a.example/', '', 0, 0),
  ]);
});

it('are reported once in a stream', () => {
  const reader = new StreamReader(1);
  const events = ['Many', ' [1].'].map((content) => ({ delta: { content }, finish_reason: null }));
  const all = [...events, { delta: {}, finish_reason: 'stop' }].flatMap((choice) => {
    const event = reader.read(JSON.stringify({ choices: [{ index: 0, ...choice }], ...pages }));
    return event.kind === 'choices' ? event.choices : [];
  });
  expect(all.flatMap(({ delta }) => delta.annotations ?? [])).toEqual([
    cited('https://a.example/sf', 'SF', 0, 0),
  ]);
});
