import { costOf, type Route, type TokenUsage } from '@farebox/catalog';
import type { UsageOutcome } from '@farebox/errors';
import type { Usage, UsageRoute } from '@farebox/ledger';
import { byTokenKind, TOKEN_KINDS, type NanoUsd, type TokenKind } from '@farebox/money';
import type { CountedUsage } from '../tokens/prompt-counts';

/** The charged tokens, and their origin. */
export interface Charge extends CountedUsage {
  outcome: UsageOutcome;
  estimated: boolean;
  /** The upstream reported an impossible usage. */
  isReportImplausible?: boolean;
  firstTokenMs?: number | undefined;
  /** One for each choice that has ended, for traces. */
  finishReasons?: readonly string[];
}

/** The measured part of a charge. */
interface MeteredCharge {
  promptTokens: number;
  completionTokens: number;
  outcome: UsageOutcome;
  firstTokenMs?: number | undefined;
}

/** Measures sold tokens. */
export interface ChargeMeter {
  recorded(modelId: string, charge: MeteredCharge, costNano: NanoUsd): void;
  unrecorded(): void;
  /** A request whose response nobody took, and its cost to the operator. */
  abandoned(modelId: string, costNano: NanoUsd): void;
}

/** The part of a charge's request that the charge itself does not know. */
interface ChargedRequest {
  measuredCostNano: NanoUsd;
  images: number | undefined;
  /** The route that responded. */
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

/** The cost of tokens and images. */
export function costOfTokens(
  price: Parameters<typeof costOf>[0],
  tokens: TokenUsage,
  images: number | undefined,
): NanoUsd {
  return costOf(price, { ...tokensOf(tokens), images });
}

/** The counts alone. */
export function tokensOf(tokens: TokenUsage): TokenUsage {
  const { promptTokens, completionTokens } = tokens;
  return { promptTokens, completionTokens, ...byTokenKind((kind) => tokens[kind]) };
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

/** Records the kinds of tokens, as far as the upstream reported them, and the number of images. */
function noteKinds(usage: Usage, tokens: TokenUsage, images = 0): void {
  for (const kind of KINDS) if (tokens[kind] !== undefined) usage[kind] = tokens[kind];
  if (images > 0) usage.images = images;
}

const KINDS = Object.keys(TOKEN_KINDS) as TokenKind[];

/** Whether two usages have the same number of each kind. */
export function areSame(one: TokenUsage, other: TokenUsage): boolean {
  return (['promptTokens', 'completionTokens', ...KINDS] as const).every((kind) => one[kind] === other[kind]);
}
