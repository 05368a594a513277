import { isReplay, type Attempt } from '../clients/attempt';
import { hasSoundUpstream } from '../clients/chat-request';
import { describe, type Finding } from './evidence';

/** Refusals that come after the upstream was asked, however sound it is: a gateway that was stopped is late. */
const MAY_FOLLOW_A_CALL: ReadonlySet<string> = new Set(['billing_error', 'upstream_timeout']);

/** Compares how often the upstream was asked for a request with what its attempts were told. */
export function auditUpstreamCalls(
  attempts: readonly Attempt[],
  { calls, charges }: { calls: number; charges: number },
): Finding[] {
  const [first] = attempts;
  if (!first) return [];
  const findings: string[] = [];
  const mayHaveAsked = attempts.filter((attempt) => !hasAskedNobody(attempt)).length;
  if (calls > mayHaveAsked) {
    findings.push(
      `${describe(first)}: its ${String(attempts.length)} sendings made ${String(calls)} calls of the upstream, at most ${String(mayHaveAsked)} were due`,
    );
  }
  if (calls < charges)
    findings.push(
      `${describe(first)}: ${String(charges)} charges for ${String(calls)} calls of the upstream`,
    );
  return findings;
}

/** Whether, by what its client was told, an attempt cannot have reached the upstream. */
function hasAskedNobody({ told, request }: Attempt): boolean {
  if (told.kind === 'not_connected' || isReplay(told)) return true;
  return told.kind === 'refused' && !MAY_FOLLOW_A_CALL.has(told.code) && hasSoundUpstream(request);
}
