import { costOf, type PricedUsage, type Route, type TokenUsage } from '@farebox/catalog';
import type { UsageOutcome } from '@farebox/errors';
import type { Usage, UsageRoute } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { CountedUsage } from '../tokens/prompt-counts';

/** What is charged: tokens, and how they came about. */
export interface Charge extends CountedUsage {
  outcome: UsageOutcome;
  estimated: boolean;
  /** The upstream reported something that cannot be what was used. */
  isReportImplausible?: boolean;
  firstTokenMs?: number | undefined;
}

/** A charge, as far as it is measured. */
interface MeteredCharge {
  promptTokens: number;
  completionTokens: number;
  outcome: UsageOutcome;
  firstTokenMs?: number | undefined;
}

/** Measures what is sold. */
export interface ChargeMeter {
  recorded(modelId: string, charge: MeteredCharge, costNano: NanoUsd): void;
  unrecorded(): void;
  /** A request whose response nobody took, and what that cost whoever runs the service. */
  abandoned(modelId: string, costNano: NanoUsd): void;
}

/** What a charge does not know of its request. */
interface ChargedRequest {
  measuredCostNano: NanoUsd;
  images: number | undefined;
  /** The route that answered. */
  route: Route | undefined;
  streamed: boolean;
  latencyMs: number;
  answer: Usage['answer'];
}

/** A charge as the ledger records it. */
export function toUsage(charge: Charge, { images, route, ...request }: ChargedRequest): Usage {
  const { promptTokens, completionTokens, outcome, estimated, firstTokenMs } = charge;
  const usage: Usage = {
    ...request,
    promptTokens,
    completionTokens,
    outcome,
    estimated,
    isReportImplausible: charge.isReportImplausible ?? false,
    isUncounted: charge.isUncounted ?? false,
  };
  noteKinds(usage, charge, images);
  if (route) usage.route = toUsageRoute(route, charge, images);
  if (firstTokenMs !== undefined) usage.firstTokenMs = firstTokenMs;
  return usage;
}

/** What tokens and images cost. */
export function costOfTokens(
  price: Parameters<typeof costOf>[0],
  { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens }: TokenUsage,
  images: number | undefined,
): NanoUsd {
  const priced: PricedUsage & Record<keyof TokenUsage, unknown> = {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens,
    images,
  };
  return costOf(price, priced);
}

function toUsageRoute(
  { upstreamId, upstreamModel, cost }: Route,
  tokens: TokenUsage,
  images: number | undefined,
): UsageRoute {
  return cost
    ? { upstreamId, upstreamModel, costNano: costOfTokens(cost, tokens, images) }
    : { upstreamId, upstreamModel };
}

/** Notes of what kinds the tokens are, as far as the upstream told, and how many images there were. */
function noteKinds(
  usage: Usage,
  { cachedTokens, cacheWriteTokens, reasoningTokens }: TokenUsage,
  images = 0,
): void {
  if (cachedTokens !== undefined) usage.cachedTokens = cachedTokens;
  if (cacheWriteTokens !== undefined) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  if (images > 0) usage.images = images;
}

/** Every kind of token: one that is added to `TokenUsage` must be added here. */
const TOKEN_KINDS = Object.keys({
  promptTokens: true,
  completionTokens: true,
  cachedTokens: true,
  cacheWriteTokens: true,
  reasoningTokens: true,
} satisfies Record<keyof TokenUsage, true>) as (keyof TokenUsage)[];

/** Whether two are as many of every kind. */
export function areSame(one: TokenUsage, other: TokenUsage): boolean {
  return TOKEN_KINDS.every((kind) => one[kind] === other[kind]);
}
