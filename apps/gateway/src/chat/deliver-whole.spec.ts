import { BYTES_AT_ONCE, Turns } from '@farebox/flow';
import { givenCompletion, settled } from '../../test/fake-completion';
import { scriptUpstream, turn } from '../../test/fake-upstream';
import { UpstreamFailure } from '../upstream/failure';
import { deliverWhole } from './deliver-whole';

describe('a whole response', () => {
  it('is sent once it is charged', async () => {
    const upstream = scriptUpstream();
    let record: () => void = () => undefined;
    const charging = (): Promise<void> => new Promise((resolve) => (record = resolve));
    const { completion, seen } = givenCompletion({ routes: [upstream], charging });
    const delivered = settled(deliverWhole, completion);
    upstream.calls[0]?.answer('Hi');
    await turn();
    expect(seen).toMatchObject({ charged: [], whole: [] });
    record();
    await delivered;
    expect(seen).toMatchObject({
      charged: [{ completionTokens: 2 }],
      whole: [expect.stringContaining('Hi')],
    });
    expect(seen).toMatchObject({ released: 0, refunded: 0 });
  });

  it.each([
    [undefined, 1],
    [1_000_000, 0],
    [1, 1],
  ])(
    'of which nothing was written, and which is kept up to a length of %s, is refunded %d times',
    async (longestKept, refunded) => {
      const upstream = scriptUpstream();
      const client = { sendWhole: () => Promise.resolve(false) };
      const { completion, seen } = givenCompletion({ routes: [upstream], longestKept, client });
      const delivered = settled(deliverWhole, completion);
      upstream.calls[0]?.answer('Hi');
      await delivered;
      expect(seen).toMatchObject({ charged: [{ outcome: 'completed' }], released: 0, refunded });
    },
  );

  it('whose customer left before its charge is not charged, unless they can ask for it again', async () => {
    for (const longestKept of [undefined, 1_000]) {
      const upstream = scriptUpstream();
      const { completion, seen, going } = givenCompletion({ routes: [upstream], longestKept });
      const countUsage: typeof completion.countUsage = async (texts) => {
        going.abort();
        return completion.countUsage(texts);
      };
      const delivered = settled(deliverWhole, { ...completion, countUsage });
      upstream.calls[0]?.answer('Hi');
      await delivered;
      expect(seen).toMatchObject(
        longestKept === undefined
          ? { charged: [], abandoned: [{ promptTokens: 5, completionTokens: 2 }], whole: [] }
          : { charged: [{ completionTokens: 2 }], abandoned: [] },
      );
    }
  });

  it('that nobody waits for any more ends the call at once, is free, and is recorded with its prompt', async () => {
    const [first, second] = [scriptUpstream(), scriptUpstream()];
    const { completion, seen, going } = givenCompletion({ routes: [first, second] });
    const delivered = settled(deliverWhole, completion);
    going.abort();
    expect(first.calls[0]?.done).toEqual(['abort']);
    await delivered;
    expect(second.calls).toEqual([]);
    expect(seen).toMatchObject({ charged: [], released: 0, abandoned: [{ promptTokens: 5 }], whole: [] });
  });

  it('that the process cannot wait for gets an error, and is free', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, shutdown } = givenCompletion({ routes: [upstream] });
    const delivered = settled(deliverWhole, completion);
    shutdown.abort();
    expect(upstream.calls[0]?.done).toEqual(['abort']);
    await expect(delivered).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(seen).toMatchObject({ charged: [], released: 1 });
  });

  it('comes from the first route that responds', async () => {
    const routes = [scriptUpstream(), scriptUpstream(), scriptUpstream()];
    const { completion, seen } = givenCompletion({ routes });
    const delivered = settled(deliverWhole, completion);
    routes[0]?.calls[0]?.fail(new UpstreamFailure('full', { retryAfterMs: 1_000 }));
    await turn();
    routes[1]?.calls[0]?.fail(new UpstreamFailure('misconfigured', { status: 401 }));
    await turn();
    routes[2]?.calls[0]?.answer('Hi');
    await delivered;
    expect(seen.failures.map(({ kind }) => kind)).toEqual(['full', 'misconfigured']);
    expect(seen.whole).toHaveLength(1);
  });

  it('that is long is read in its account’s turn, and not if its customer has left by then', async () => {
    const turns = new Turns({ atOnce: 1 });
    const given: string[] = [];
    const ask = (accountId: string): { delivered: Promise<void>; going: AbortController } => {
      const upstream = scriptUpstream();
      const { completion, going } = givenCompletion({ routes: [upstream] });
      const client = {
        ...completion.client,
        sendWhole: () => {
          given.push(accountId);
          return Promise.resolve(true);
        },
      };
      const inTurn: typeof completion.inTurn = (work) => turns.take(accountId[0] ?? '', work);
      const delivered = settled(deliverWhole, { ...completion, client, inTurn });
      upstream.calls[0]?.answer('x'.repeat(BYTES_AT_ONCE));
      return { delivered, going };
    };
    const asked = ['a1', 'a2', 'a3', 'b1'].map(ask);
    asked[1]?.going.abort();
    await Promise.all(asked.map(({ delivered }) => delivered));
    expect(given).toEqual(['a1', 'b1', 'a3']);
  });

  it('of routes that are all unavailable is 503, with the time when the first of them is asked again', async () => {
    const routes = [scriptUpstream(), scriptUpstream()];
    const { completion, seen } = givenCompletion({ routes });
    const delivered = expect(settled(deliverWhole, completion)).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 2,
    });
    routes[0]?.calls[0]?.fail(new UpstreamFailure('circuit_open', { retryAfterMs: 60_000 }));
    await turn();
    routes[1]?.calls[0]?.fail(new UpstreamFailure('circuit_open', { retryAfterMs: 1_500 }));
    await delivered;
    expect(seen).toMatchObject({ charged: [], released: 1 });
  });
});
