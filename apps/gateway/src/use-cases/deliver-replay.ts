import type { ChatCompletionRequest } from '@farebox/contracts';
import type { ChatClient } from './chat-client';
import { fromKeptError, type KeptAnswer, type KeptStream } from './kept-answer';
import { toChunk } from './wire-chunk';

/** Answers a repeated request with what was kept: free, and without a model. */
export async function deliverReplay(
  answer: KeptAnswer,
  request: ChatCompletionRequest,
  client: ChatClient,
): Promise<void> {
  client.announce([['Idempotent-Replayed', 'true']]);
  if (answer.kind === 'whole') await client.sendWhole(answer.body);
  else await replayStream(answer, request.stream_options?.include_usage === true, client);
}

/** The same stream in fewer chunks: complete, or broken off with the same error. */
async function replayStream(answer: KeptStream, wantsUsage: boolean, client: ChatClient): Promise<void> {
  for (const choice of answer.choices) {
    const hasRoom = client.sendChunk(
      toChunk(answer, [choice], wantsUsage ? null : undefined),
      () => undefined,
    );
    if (!hasRoom) await client.flushed();
    if (client.gone.aborted) return;
  }
  await client.flushed();
  if (client.gone.aborted) return;
  const { end } = answer;
  if (end.kind === 'failed') client.failStream(fromKeptError(end.error));
  else client.endStream(wantsUsage ? toChunk(answer, [], end.usage) : undefined);
}
