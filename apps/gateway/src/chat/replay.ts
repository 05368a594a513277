import { fromKeptError, type KeptAnswer, type KeptStream } from '../paid/kept-answers';
import type { ChatClient } from './completion';

/** Replays the kept response to a repeated request, free and without a model. */
export async function deliverReplay(answer: KeptAnswer, client: ChatClient): Promise<void> {
  client.announce([['Idempotent-Replayed', 'true']]);
  if (answer.kind === 'whole') await client.sendWhole(answer.body);
  else await replayStream(answer, client);
}

/** The same stream in fewer chunks: complete, or broken off with the same error. */
async function replayStream(answer: KeptStream, client: ChatClient): Promise<void> {
  for (const choice of answer.choices) {
    const hasRoom = client.sendChunk(answer, [choice], () => undefined);
    if (!hasRoom) await client.flushed();
    if (client.gone.aborted) return;
  }
  await client.flushed();
  if (client.gone.aborted) return;
  const { end } = answer;
  if (end.kind === 'failed') client.failStream(fromKeptError(end.error));
  else client.endStream(answer, end.usage);
}
