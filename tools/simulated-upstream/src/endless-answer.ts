import { composeAnswer } from './answer';
import type { ChatRequest } from './chat-request';
import { plainFraming } from './event-framing';
import type { Exchange } from './exchange';
import { beginStream } from './stream-answer';
import { chunkWriter } from './stream-chunks';
import { endlessProse } from './text';

/** Answers until the client goes away, whatever limit it asked for. */
export async function sendEndlessAnswer(exchange: Exchange, request: ChatRequest): Promise<void> {
  const answer = composeAnswer({ ...request, n: 1 }, { toLimit: false, beyondAscii: false, reasons: false });
  const prose = endlessProse(answer.id);
  const chunk = chunkWriter(answer, false);

  if (request.stream) beginStream(exchange);
  else {
    exchange.begin(200, { 'content-type': 'application/json' });
    await exchange.write(
      `{"id":"${answer.id}","choices":[{"index":0,"message":{"role":"assistant","content":"`,
    );
  }
  for (const piece of prose) {
    await exchange.write(
      request.stream ? plainFraming(chunk.delta(0, { content: piece }, { tokens: 1 }).body, 0) : piece,
    );
    exchange.received.tokensSent += 1;
  }
}
