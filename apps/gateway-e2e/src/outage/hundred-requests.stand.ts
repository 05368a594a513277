import type { Told } from '../clients/attempt';
import type { ModelId } from '../clients/chat-request';
import { countHolds, expectEventually } from './accounted-for.stand';
import type { OutageStand } from './outage.stand';
import type { SentRequest } from './sent-requests';

const REQUESTS = 100;
const CUSTOMERS = 10;
/** A stream has some 20 to 60 of them. */
const MAX_TOKENS = 60;
const PAUSES: readonly ModelId[] = ['pause-3000', 'pause-5000', 'pause-7000'];

/** How long they run: streams by their tokens, others by the pauses of their upstreams. */
export interface Lengths {
  maxTokens?: number;
  pauses?: readonly ModelId[];
}

/** Sends a hundred requests of all kinds at once, and answers when all of them are held and run. */
export async function runHundredRequests(
  stand: OutageStand,
  { maxTokens = MAX_TOKENS, pauses = PAUSES }: Lengths = {},
): Promise<SentRequest[]> {
  const customers = await stand.addCustomers(CUSTOMERS);
  const called = stand.upstreamCalls.size;
  const sent = Array.from({ length: REQUESTS }, (_, number) => {
    const streamed = number % 2 === 0;
    const customer = customers[number % CUSTOMERS];
    const leaves = number % 10 >= 8;
    return stand.requests.send({
      ...{ streamed, gateway: Math.floor(number / 2) % stand.gateways.length },
      ...(customer === undefined ? {} : { customer }),
      ...(streamed
        ? { model: 'paced', maxTokens }
        : { model: pauses[number % pauses.length] ?? 'pause-3000' }),
      ...(leaves ? { hangUp: { afterMs: 2_500 } } : {}),
      ...(!leaves && number % 3 === 0 ? { idempotencyKey: `key ${String(number)}` } : {}),
    });
  });
  await expectEventually('all of them are held', async () => (await countHolds(stand)) === REQUESTS);
  await expectEventually('all of them run', () => stand.upstreamCalls.size === called + REQUESTS);
  return sent;
}

/** How they ended, and how often each way. */
export function countEnds(sent: readonly SentRequest[]): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { attempt } of sent) {
    const end = endOf(attempt.told);
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

/** Whether there is an answer in one piece and a stream that ended like this. */
export function bothEnded(sent: readonly SentRequest[], end: string): boolean {
  return [true, false].every((streamed) =>
    sent.some(({ attempt }) => attempt.request.streamed === streamed && endOf(attempt.told) === end),
  );
}

function endOf(told: Told): string {
  return 'code' in told ? told.code : told.kind;
}
