import type { Turn } from './turns';
import { t } from '@farebox/ui/language';

/** In this tab only. */
const KEY = 'farebox.conversation';
/** A tab keeps about five million characters of everything. */
const MAX_LENGTH = 2_000_000;

interface Kept {
  accountId: string;
  turns: Turn[];
}

/** Keeps the turns for as long as the tab is open: the newest ones, if all are too long. */
export function keepTurns(accountId: string, turns: readonly Turn[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ accountId, turns: boundTurns(turns) }));
  } catch {
    // Something else has filled the tab's storage. An older copy would be taken for the whole conversation.
    sessionStorage.removeItem(KEY);
  }
}

/** Keeps what has arrived since, unless the conversation was dropped meanwhile, as by signing out. */
export function updateKeptTurns(accountId: string, turns: readonly Turn[]): void {
  if (sessionStorage.getItem(KEY) !== null) keepTurns(accountId, turns);
}

export function dropKeptTurns(): void {
  sessionStorage.removeItem(KEY);
}

/** Images and files go first, then the oldest turns, of which the first must be a question. */
export function boundTurns(turns: readonly Turn[], maxLength = MAX_LENGTH): readonly Turn[] {
  if (JSON.stringify(turns).length <= maxLength) return turns;
  const kept = turns.map(({ attachments, ...turn }) => ({
    ...turn,
    ...(attachments && { attachments: attachments.map(({ name }) => ({ name })) }),
  }));
  let length = 0;
  let from = kept.length;
  while (from > 0) {
    length += JSON.stringify(kept[from - 1]).length;
    if (length > maxLength) break;
    from -= 1;
  }
  while (kept[from]?.role === 'assistant') from += 1;
  return kept.slice(from);
}

/** The account's turns. Those of another account are dropped. */
export function readTurns(accountId: string): readonly Turn[] {
  const kept = parse(sessionStorage.getItem(KEY));
  if (kept?.accountId !== accountId) {
    sessionStorage.removeItem(KEY);
    return [];
  }
  return kept.turns.map((turn) => (isUnfinished(turn) ? { ...turn, end: t('The page was closed.') } : turn));
}

/** A response that was running when the page was left. */
const isUnfinished = ({ role, usage, end }: Turn): boolean =>
  role === 'assistant' && usage === undefined && end === undefined;

function parse(text: string | null): Kept | undefined {
  if (text === null) return undefined;
  try {
    const kept = JSON.parse(text) as Partial<Kept>;
    return typeof kept.accountId === 'string' && Array.isArray(kept.turns) ? (kept as Kept) : undefined;
  } catch {
    return undefined;
  }
}
