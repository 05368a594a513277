import type { TokenUsage } from '@farebox/catalog';
import type { CountedUsage } from '../tokens/prompt-counts';
import { isOfOneChoice, plausibleUsage } from '../upstream/usage/plausible-usage';
import type { ReadUsage } from '../upstream/usage/report';
import type { Completion } from './completion';
import { mostWorked, usageOfBroken, usageOfShare } from './left-usage';
import type { StreamPassage } from './stream-passage';

/** The usage that a stream is charged for, depending on how it ended. */
export class StreamUsage {
  readonly #completion: Completion;
  readonly #passage: StreamPassage;

  constructor(completion: Completion, passage: StreamPassage) {
    this.#completion = completion;
    this.#passage = passage;
  }

  /** The upstream's report, if it is plausible. */
  plausible(): ReadUsage | undefined {
    const { plan, canBePrompt, showsCache } = this.#completion;
    return plausibleUsage(this.#passage.reported, {
      contextWindow: plan.model.contextWindow,
      maxOutputTokens: this.#passage.limit.tokens,
      outputLength: this.#passage.delivered.length,
      canBePrompt,
      showsCache: showsCache(),
    });
  }

  /** The upstream's report of a complete stream, if it is plausible for all choices. */
  async believed(): Promise<ReadUsage | undefined> {
    const reported = this.plausible();
    if (!reported) return undefined;
    const texts = this.#passage.delivered.texts();
    return (await isOfOneChoice(reported, texts, this.#completion.countTexts)) ? undefined : reported;
  }

  /** The prompt and the delivered text, as counted here. */
  async countDelivered(): Promise<CountedUsage> {
    const { delivered, limit } = this.#passage;
    const counted = await this.#completion.countUsage(delivered.texts());
    return { ...counted, completionTokens: Math.min(counted.completionTokens, limit.tokens) };
  }

  /** Usage of a stream that its customer has left. `counted`: the result of `countDelivered`. */
  async ofLeft(counted: TokenUsage): Promise<TokenUsage> {
    const reported = await this.believed();
    const { delivered, writtenLength } = this.#passage;
    // Output without text other than its seals was delivered with them.
    const share = writtenLength === 0 ? 1 : delivered.length / writtenLength;
    return reported ? usageOfShare(reported, share, counted.completionTokens) : counted;
  }

  /** The same for a stream that its upstream has broken off, or that was ended here. */
  ofBroken(counted: TokenUsage): TokenUsage {
    const reported = this.plausible();
    return reported ? usageOfBroken(reported, counted.completionTokens) : counted;
  }

  /**
   * All work of the upstream for a stream that was left: its report, or an estimate of what it has written by now.
   */
  async worked(charged: TokenUsage): Promise<TokenUsage> {
    const reported = await this.believed();
    if (reported) return reported;
    const { plan, hold } = this.#completion;
    return mostWorked(plan, charged, hold.askedForMs() ?? 0);
  }
}
