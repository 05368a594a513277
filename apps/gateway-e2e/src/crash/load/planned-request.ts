import type { ChatRequest, ModelId } from '../../clients/chat-request';
import type { Random } from '../../random';

/** What a client asks for: once, or under its Idempotency-Key until it is answered. */
export interface PlannedRequest extends ChatRequest {
  customer: number;
  /** How often it is sent at once: more than once only under an Idempotency-Key. */
  copies: number;
}

const USUAL: readonly [ModelId, ...ModelId[]] = [
  'at-once',
  'pause-50',
  'pause-150',
  'pause-300',
  'paced',
  'paced',
];
const LONGEST_PATIENCE_MS = 350;

/** Chooses what a client asks for next. */
export function planRequest(random: Random, name: string, customer: number): PlannedRequest {
  const model = random.chance(0.1) ? random.pick<ModelId>(['tenfold', 'breaks']) : random.pick(USUAL);
  const isKeyed = random.chance(0.3);
  // An answer in one piece that breaks off is none, however often it is asked for.
  const streamed = model === 'paced' || (model === 'breaks' && isKeyed) || random.chance(0.4);
  return {
    name,
    model,
    streamed,
    wantsUsage: random.chance(0.9),
    customer,
    idempotencyKey: isKeyed ? `key of ${name}` : undefined,
    copies: isKeyed && random.chance(0.2) ? random.between(2, 4) : 1,
    hangUp: random.chance(0.1) ? planHangUp(random, streamed) : undefined,
  };
}

function planHangUp(random: Random, streamed: boolean): PlannedRequest['hangUp'] {
  if (streamed && random.chance(0.5)) return 'at_first_text';
  return { afterMs: random.between(1, LONGEST_PATIENCE_MS) };
}
