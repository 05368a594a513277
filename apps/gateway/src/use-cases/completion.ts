import type { TokenUsage } from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/contracts';
import type { RouteTarget } from '../upstream/call-routes';
import type { ChatClient } from './chat-client';
import type { Hold } from './hold';
import type { CountTexts } from './output-limit';
import type { CompletionPlan } from './plan-completion';
import type { StopSignal } from './stop-signal';
import type { UpstreamAttempt } from './upstream-attempt';

/** A completion that is paid for in advance and is to be delivered. */
export interface Completion {
  /** `chatcmpl-…`, the same over a whole stream. */
  id: string;
  /** Unix seconds. */
  createdAt: number;
  startedAtMs: number;
  /** Whose it is. */
  accountId: string;
  request: ChatCompletionRequest;
  plan: CompletionPlan;
  hold: Hold;
  client: ChatClient;
  /** Counts the tokens of texts that the upstream wrote, so that no more of them is passed on than was asked for. */
  countTexts: CountTexts;
  /** Counts what the upstream did not report: the prompt, and these texts that it wrote. Never rejects. */
  countUsage: (texts: readonly string[]) => Promise<TokenUsage>;
  /** Aborted when the process must end now. */
  shutdown: StopSignal;
  now: () => number;
  /** Tells of a call to an upstream, which begins now. What the upstream said of a failure may be seen in the log. */
  beginAttempt: (target: RouteTarget) => UpstreamAttempt;
}
