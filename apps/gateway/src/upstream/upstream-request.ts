import type { Upstream } from '@farebox/catalog';
import { FORWARDED_FIELDS, type ChatCompletionRequest } from '@farebox/contracts';

/** A request as it goes upstream, without the part that depends on which upstream it is. */
export interface UpstreamRequest {
  request: ChatCompletionRequest;
  /** Always sent, so that the output cannot cost more than the hold. */
  maxOutputTokens: number;
}

/** The body for one upstream: its own name of the model, and the limit in the field that it takes. */
export function toUpstreamBody(
  { request, maxOutputTokens }: UpstreamRequest,
  upstream: Pick<Upstream, 'maxTokensField'>,
  upstreamModel: string,
): string {
  const body: Record<string, unknown> = { model: upstreamModel };
  for (const field of FORWARDED_FIELDS) {
    if (request[field] != null) body[field] = request[field];
  }
  body[upstream.maxTokensField] = maxOutputTokens;
  if (request.stream) {
    body['stream'] = true;
    // Usage is counted always; the customer sees it only where he asked for it.
    body['stream_options'] = { include_usage: true };
  }
  return JSON.stringify(body);
}
