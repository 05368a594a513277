import { toApiError } from '@farebox/errors';
import { inSpan, type Span } from '@farebox/observability';
import type { ChargeMeter } from '../telemetry/charge-meter';
import type { Hold } from './hold';

export interface HoldObservation {
  charges: ChargeMeter;
  modelId: string;
  /** Of the request. */
  span: Span;
}

/** A hold whose end is measured and traced. */
export function observedHold(hold: Hold, { charges, modelId, span }: HoldObservation): Hold {
  return {
    ...hold,
    charge: (charge, toAnswer) =>
      inSpan(
        span,
        'settle',
        async (settling) => {
          const { promptTokens, completionTokens, outcome, firstTokenMs } = charge;
          settling.set({
            'farebox.outcome': outcome,
            'farebox.prompt_tokens': promptTokens,
            'farebox.completion_tokens': completionTokens,
            'farebox.first_token_ms': firstTokenMs,
          });
          try {
            await hold.charge(charge, toAnswer);
          } catch (error) {
            charges.unrecorded();
            throw error;
          }
          charges.recorded(modelId, charge, hold.costOf(charge));
        },
        (thrown) => toApiError(thrown).code,
      ),
    release: () =>
      inSpan(
        span,
        'settle',
        async (settling) => {
          settling.set({ 'farebox.outcome': 'released' });
          await hold.release();
        },
        () => 'internal_error',
      ),
  };
}
