import { givenCompletion, settled } from '../../test/fake-completion';
import { scriptUpstream, turn } from '../../test/fake-upstream';
import { deliverStream } from '../chat/deliver-stream';
import { deliverWhole } from '../chat/deliver-whole';

/** A completion whose body takes a while to be written. */
function givenWriting() {
  const upstream = scriptUpstream();
  const given = givenCompletion({ routes: [upstream] });
  let written: (body: string) => void = () => undefined;
  let failed: (error: Error) => void = () => undefined;
  const writing = new Promise<string>((resolve, reject) => ([written, failed] = [resolve, reject]));
  return { ...given, upstream, written, failed, completion: { ...given.completion, toBody: () => writing } };
}

describe.each([
  ['whole', deliverWhole],
  ['streamed', deliverStream],
])('while a long request for a %s response is written', (_kind, deliver) => {
  it('nothing is sent, and then it is', async () => {
    const { completion, upstream, written, going } = givenWriting();
    const delivered = settled(deliver, completion);
    await turn();
    expect(upstream.calls).toHaveLength(0);
    written('{}');
    await turn();
    expect(upstream.calls).toHaveLength(1);
    going.abort();
    await delivered;
  });

  it('the customer may leave, and then nothing is sent', async () => {
    const { completion, upstream, written, going, seen } = givenWriting();
    const delivered = settled(deliver, completion);
    await turn();
    going.abort();
    await delivered;
    written('{}');
    await turn();
    expect(upstream.calls).toHaveLength(0);
    expect(seen).toMatchObject({ charged: [], whole: [], chunks: [] });
  });

  it('the process may end, and then nothing is sent', async () => {
    const { completion, upstream, written, shutdown } = givenWriting();
    const delivered = settled(deliver, completion);
    shutdown.abort();
    await expect(delivered).rejects.toMatchObject({ code: 'service_unavailable' });
    written('{}');
    await turn();
    expect(upstream.calls).toHaveLength(0);
  });

  it('an error of this code ends the request, and no other upstream is asked', async () => {
    const { completion, upstream, failed, seen } = givenWriting();
    const delivered = settled(deliver, completion);
    failed(new Error('a bug'));
    await expect(delivered).rejects.toThrow('a bug');
    expect(upstream.calls).toHaveLength(0);
    expect(seen).toMatchObject({ charged: [], released: 1 });
  });
});
