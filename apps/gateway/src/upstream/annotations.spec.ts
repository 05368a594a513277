import { readWholeAnswer } from './answers';
import { StreamReader } from './stream-reader';

/** Details that servers add to a text: its citations, and the stop sequence that ended it. */

const cited = (more: object = {}) => ({
  type: 'url_citation',
  url_citation: { start_index: 0, end_index: 5, url: 'https://example.com/a', title: 'A page', ...more },
});

function wholeOf(annotations: unknown) {
  const choice = { message: { content: 'Trams', annotations }, finish_reason: 'stop' };
  return readWholeAnswer(Buffer.from(JSON.stringify({ choices: [choice] }))).choices[0]?.message.annotations;
}

function streamed(...pieces: unknown[]) {
  const reader = new StreamReader(1);
  return pieces.flatMap((annotations) => {
    const event = reader.read(JSON.stringify({ choices: [{ index: 0, delta: { annotations } }] }));
    return event.kind === 'choices' ? event.choices.flatMap(({ delta }) => delta.annotations ?? []) : [];
  });
}

describe('a citation', () => {
  it('is read in the form of OpenAI chat and in that of Responses', () => {
    const { url_citation } = cited();
    for (const given of [cited(), { type: 'url_citation', ...url_citation }]) {
      expect(wholeOf([given])).toEqual([cited()]);
      expect(streamed([given])).toEqual([cited()]);
    }
  });

  it('loses unknown fields and any trace of which server found the page', () => {
    const url = 'https://example.com/a?utm_source=openai&page=2';
    const given = { ...cited({ url, content: 'x', provider: 'p' }), id: 'upstream-canary' };
    expect(wholeOf([given])).toEqual([cited({ url: 'https://example.com/a?page=2' })]);
  });

  it.each([
    ['a script', { url: 'javascript:alert(1)' }],
    ['no URL', { url: 7 }],
    ['a name and a password', { url: 'https://me:secret@example.com/' }],
    ['a URL longer than any', { url: `https://example.com/${'a'.repeat(3_000)}` }],
  ])('is dropped if it has %s', (_what, more) => {
    expect(wholeOf([cited(more)])).toBeUndefined();
  });

  it('keeps its position and title only if they are valid and the title is short', () => {
    const given = { start_index: -1, end_index: 'x', title: 'a'.repeat(10_000) };
    expect(wholeOf([cited(given)])).toEqual([
      cited({ start_index: 0, end_index: 0, title: 'a'.repeat(512) }),
    ]);
  });

  it('is limited in number, over all events of a stream', () => {
    const many = Array.from({ length: 50 }, () => cited());
    expect(wholeOf([...many, ...many])).toHaveLength(64);
    expect(streamed(many, many)).toHaveLength(64);
  });

  it.each([[null], ['x'], [[]], [[null]], [[{ type: 'file_citation' }]]])(
    '%j is not a citation',
    (annotations) => {
      expect(wholeOf(annotations)).toBeUndefined();
      expect(streamed(annotations)).toEqual([]);
    },
  );
});

describe('the stop sequence that ended a text', () => {
  it.each(['stop_sequence', 'stop_reason', 'matched_stop'])('is reported as %s', (field) => {
    const choice = { message: { content: 'Trams' }, finish_reason: 'stop', [field]: 'END' };
    const body = Buffer.from(JSON.stringify({ choices: [choice] }));
    expect(readWholeAnswer(body, { stops: ['END'] }).choices[0]).toMatchObject({ stop_sequence: 'END' });
    const data = JSON.stringify({
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', [field]: 'END' }],
    });
    expect(new StreamReader(1, ['END']).read(data)).toMatchObject({ choices: [{ stop_sequence: 'END' }] });
  });

  it.each([2, null, 'eos', 'stop'])('is not reported for %j, which no client sent', (stop_reason) => {
    const choice = { message: { content: 'Trams' }, finish_reason: 'stop', stop_reason };
    const body = Buffer.from(JSON.stringify({ choices: [choice] }));
    expect(readWholeAnswer(body, { stops: ['END'] }).choices[0]).not.toHaveProperty('stop_sequence');
  });
});
