import { IMPLAUSIBLE_MODELS, WORDS } from './own-answers.stand';
import { startUpstreamFaultStand, type UpstreamFaultStand } from './upstream-faults.stand';

let stand: UpstreamFaultStand;
beforeAll(async () => {
  stand = await startUpstreamFaultStand();
});
afterAll(async () => {
  await stand.expectSettled();
  await stand.close();
});

const log = ['request_completed 200'];

describe.each([
  { kind: 'an answer in one piece', stream: false },
  { kind: 'a stream', stream: true },
])('$kind is given as ever', ({ stream }) => {
  const answerOf = (tokens: number, reported = tokens): object =>
    stream ? { status: 200, events: tokens, end: '[DONE]' } : { status: 200, tokens: reported };

  it('where the upstream reports no usage, and costs what the service counts, marked as estimated', async () => {
    expect(await stand.see({ model: 'no-usage', stream })).toEqual({
      answer: answerOf(8),
      charge: { tokens: 8, outcome: 'completed', estimated: true },
      log,
    });
  });

  it.each(IMPLAUSIBLE_MODELS)(
    'where it cannot be what was used (%s), and costs what the service counts, marked as estimated',
    async (model) => {
      expect(await stand.see({ model, stream })).toEqual({
        answer: answerOf(8),
        charge: { tokens: 8, outcome: 'completed', estimated: true },
        log: ['usage_implausible', ...log],
      });
    },
  );

  it('where the upstream reports more than is held, and costs what is held, for an operator to look at', async () => {
    expect(await stand.see({ model: 'own-usage-over-hold', stream })).toEqual({
      answer: answerOf(8),
      charge: { tokens: 8, outcome: 'completed', estimated: false, cost: 'the whole hold' },
      reviews: ['usage_over_hold'],
      log,
    });
  });

  it('where the upstream sends more than is held and reports nothing, and costs what is held', async () => {
    expect(await stand.see({ model: 'own-overlong-no-usage', stream })).toEqual({
      answer: answerOf(WORDS.length),
      charge: { tokens: WORDS.length, outcome: 'completed', estimated: true, cost: 'the whole hold' },
      reviews: ['usage_over_hold'],
      log,
    });
  });
});
