import type { ChatCompletionRequest } from '@farebox/contracts';
import type { RouteTarget } from '../upstream/call-routes';
import type { UpstreamFailure } from '../upstream/failure';
import type { ChatClient } from './chat-client';
import type { Hold } from './hold';
import type { CompletionPlan } from './plan-completion';
import type { StopSignal } from './stop-signal';

/** A completion that is paid for in advance and is to be delivered. */
export interface Completion {
  /** `chatcmpl-…`, the same over a whole stream. */
  id: string;
  /** Unix seconds. */
  createdAt: number;
  startedAtMs: number;
  request: ChatCompletionRequest;
  plan: CompletionPlan;
  hold: Hold;
  client: ChatClient;
  /** Aborted when the process must end now. */
  shutdown: StopSignal;
  now: () => number;
  /** Puts an upstream's failure into the log, where what it said may be seen. */
  noteFailure: (target: RouteTarget, failure: UpstreamFailure) => void;
}
