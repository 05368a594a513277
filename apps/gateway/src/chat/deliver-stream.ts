import { ApiError, toApiError, type UsageOutcome } from '@farebox/errors';
import { tokensOf, type Charge } from '../paid/charged-usage';
import type { CountedUsage } from '../tokens/prompt-counts';
import { toKeptError, type KeptStream } from '../paid/kept-answers';
import { toKeptItems } from '../paid/kept-items';
import { isDoubtful } from '../upstream/usage/plausible-usage';
import { toCompletionUsage, type Completion } from './completion';
import { abandonCompletion } from './left-usage';
import { StreamPassage, type StreamEnd } from './stream-passage';
import { StreamUsage } from './stream-usage';

/**
 * A streamed response is passed on as it comes, and charged after its last content and before `[DONE]`. However it
 * ends, only what was delivered is charged. Throws the client's error while nothing was sent; later failures are
 * reported in the stream. An error of this code itself also ends the stream and its call, and is rethrown for the
 * log.
 */
export async function deliverStream(completion: Completion): Promise<void> {
  const passage = new StreamPassage(completion);
  const settlement = new StreamSettlement(completion, passage);
  try {
    await settlement.settle(await passage.run());
  } catch (error) {
    await settlement.breakOff(error);
    throw error;
  } finally {
    passage.close();
  }
}

/** Charges the delivered part of a stream, and sends the customer its end. */
class StreamSettlement {
  readonly #completion: Completion;
  readonly #passage: StreamPassage;
  readonly #usage: StreamUsage;
  /** The stream already reported its failure to the customer. */
  #hasFailed = false;

  constructor(completion: Completion, passage: StreamPassage) {
    this.#completion = completion;
    this.#passage = passage;
    this.#usage = new StreamUsage(completion, passage);
  }

  async settle(end: StreamEnd): Promise<void> {
    switch (end.kind) {
      case 'completed':
        await this.#settleCompleted();
        return;
      case 'client_gone':
        await this.#settleGone();
        return;
      case 'shutdown':
      case 'suspended':
        await this.#settleFailed(end.error, end.kind);
        return;
      case 'failed': {
        const isLate = end.error.code === 'upstream_timeout';
        await this.#settleFailed(end.error, isLate ? 'upstream_timeout' : 'upstream_failed');
        return;
      }
      case 'broken':
        throw end.thrown;
    }
  }

  /** Ends a stream in which this code itself has failed. A stream that has not begun is left to the caller. */
  async breakOff(thrown: unknown): Promise<void> {
    if (!this.#passage.hasBegun || this.#hasFailed) return;
    if (this.#completion.hold.isOpen()) await this.#settleFailed(toApiError(thrown), 'upstream_failed');
    else this.#fail(toApiError(thrown));
  }

  /** The stream is complete. The upstream's count is charged if the customer got all of it. */
  async #settleCompleted(): Promise<void> {
    const { client, hold } = this.#completion;
    await client.flushed();
    if (client.gone.aborted) {
      await this.#settleGone();
      return;
    }
    const reported = await this.#usage.believed();
    const counted: CountedUsage = reported ?? (await this.#usage.countDelivered());
    const usage = toCompletionUsage(counted, hold.costOf(counted));
    const charge: Charge = {
      ...tokensOf(counted),
      outcome: 'completed',
      estimated: reported === undefined,
      isReportImplausible: isDoubtful(this.#passage.reported, reported),
      isUncounted: counted.isUncounted,
      firstTokenMs: this.#passage.firstTokenMs,
      finishReasons: this.#passage.delivered.finishReasons,
    };
    try {
      await hold.charge(charge, () =>
        hold.keepsItems ? toKeptItems(client) : this.#toKept({ kind: 'done', usage }),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#fail(error);
      return;
    }
    client.endStream(this.#passage.identity, usage);
  }

  /** Nobody reads any more. A repeated request gets what was delivered, with an error that it is incomplete. */
  async #settleGone(): Promise<void> {
    await this.#settleDelivered('client_gone', new ApiError('service_unavailable'));
  }

  async #settleFailed(error: ApiError, outcome: UsageOutcome): Promise<void> {
    await this.#completion.client.flushed();
    if (!this.#passage.hasBegun) {
      await this.#settleDelivered(outcome, error);
      throw error;
    }
    try {
      await this.#settleDelivered(outcome, error);
    } catch (thrown) {
      this.#fail(toApiError(thrown));
      if (!(thrown instanceof ApiError)) throw thrown;
      return;
    }
    this.#fail(error);
  }

  /** Charges the delivered part. Throws `billing_error` if the charge could not be recorded. */
  async #settleDelivered(outcome: UsageOutcome, error: ApiError): Promise<void> {
    const { hold } = this.#completion;
    const isLeft = outcome === 'client_gone';
    if (isLeft ? !this.#passage.mayBePaid : this.#passage.delivered.isEmpty) {
      if (isLeft) await abandonCompletion(this.#completion, this.#usage.plausible());
      else await hold.release();
      return;
    }
    const counted = await this.#usage.countDelivered();
    const charge = {
      ...(isLeft ? await this.#usage.ofLeft(counted) : this.#usage.ofBroken(counted)),
      outcome,
      estimated: true,
      isUncounted: counted.isUncounted,
      firstTokenMs: this.#passage.firstTokenMs,
    };
    // Comes before the charge, which releases the hold from the account's allowance: the unpaid part is recorded in
    // time.
    const worked = isLeft ? await this.#usage.worked(charge) : undefined;
    await hold.charge(charge, () => this.#toKept({ kind: 'failed', error: toKeptError(error) }));
    if (worked) await hold.noteUnpaid(worked, charge);
  }

  #fail(error: ApiError): void {
    this.#hasFailed = true;
    this.#completion.client.failStream(error);
  }

  /** Undefined if it is too long to be kept. */
  #toKept(end: KeptStream['end']): KeptStream | undefined {
    const { choices } = this.#passage.delivered;
    return choices && { kind: 'stream', ...this.#passage.identity, choices, end };
  }
}
