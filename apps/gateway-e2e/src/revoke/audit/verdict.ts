import type { KeyState } from '../changes/history';
import { BARRED_MODEL, LISTED_WITHOUT, SERVED, type Attempt } from '../load/attempt';

/** What a request must be told while a state holds. Source: decisions, the order of the preconditions. */
export function verdictOf(state: KeyState, { asked, secret }: Pick<Attempt, 'asked' | 'secret'>): string {
  if (state.liveSecret !== secret) return '401 invalid_api_key';
  if (state.isSuspended) return '403 beta_access_required';
  if (!state.isBarred) return SERVED;
  if (asked.kind === 'models') return LISTED_WITHOUT;
  return asked.model === BARRED_MODEL ? '403 model_not_allowed' : SERVED;
}

export function isServed(outcome: string): boolean {
  return outcome === SERVED || outcome === LISTED_WITHOUT;
}
