import { fromPublicId } from '@farebox/auth';
import { claimOfItems, type AnswerCipher, type GatewayLedger } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import type { Caller } from '../identity/api-keys';
import { toStoreError } from '../refusals';
import { decryptItems, type KeptItems } from './kept-answers';
import type { PaidClient } from './terms';

/** Longer responses, in characters, are not kept: writing them would make others wait. */
const MOST_LENGTH = 1024 * 1024;

/** The part of a response that is kept for later requests to name. */
export function toKeptItems(client: Pick<PaidClient, 'keptItems'>): KeptItems | undefined {
  const items = (client.keptItems?.() ?? []) as KeptItems['items'];
  if (items.length === 0 || lengthOf(items) > MOST_LENGTH) return undefined;
  return { kind: 'items', items };
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + lengthOf(member), 0);
}

export interface FindItemsDeps {
  ledger: GatewayLedger;
  answers: AnswerCipher;
  log: Logger;
}

/** The newest of them, because each is a database read. */
const MOST_RESPONSES = 512;

/** `msg_01jd…_0`: the middle is the id of the request that got the item. */
const ITEM_ID = /^[a-z]+_([0-9a-z]+)_\d+$/;

/**
 * The items of earlier responses of the same key that are still kept, by id. `taking` gets the length of each before
 * the next is read, and may throw. Throws `service_unavailable` if the database cannot answer.
 */
export async function findItems(
  { ledger, answers, log }: FindItemsDeps,
  { accountId, apiKeyId }: Pick<Caller, 'accountId' | 'apiKeyId'>,
  ids: readonly string[],
  taking: (bytes: number) => void,
): Promise<Map<string, object>> {
  const named = new Set(ids);
  const found = new Map<string, object>();
  const holdIds = new Set(ids.flatMap((id) => holdOfItem(id) ?? []));
  for (const holdId of [...holdIds].slice(-MOST_RESPONSES)) {
    const claim = { accountId, apiKeyId, key: claimOfItems(holdId).key, holdId };
    const kept = await ledger.readAnswer(claim).catch((cause: unknown) => {
      throw toStoreError(cause);
    });
    if (!kept) continue;
    taking(
      kept.kind === 'whole' ? kept.bytes.length : kept.parts.reduce((sum, part) => sum + part.length, 0),
    );
    try {
      const { items } = await decryptItems(answers, holdId, kept);
      for (const item of items) if (named.has(item.id)) found.set(item.id, item);
    } catch (error) {
      log.error({ event: 'kept_items_unreadable', hold_id: holdId, error }, 'kept items cannot be read');
    }
  }
  return found;
}

function holdOfItem(id: string): string | undefined {
  const body = ITEM_ID.exec(id)?.[1];
  return body === undefined ? undefined : fromPublicId('chatcmpl', `chatcmpl-${body}`);
}
