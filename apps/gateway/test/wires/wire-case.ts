import type { ErrorCode } from '@farebox/errors';

/** What a client asks for, whatever it speaks. */
export interface WireAsk {
  model: string;
  /** Default: the same few words. */
  prompt?: string;
  stream?: boolean;
  /** Default 50. */
  maxTokens?: number;
  /** A function is offered, and must be called. */
  tool?: boolean;
}

/** What a client makes of a response, whatever it speaks. */
export interface WireTold {
  /** Of the response, as this wire calls it. */
  id: string;
  text: string;
  /** Names of the functions that are called. */
  calls: string[];
  /** None if the response is not whole. `inputTokens` has those of a cache too. */
  usage: { inputTokens: number; outputTokens: number; cost: string } | undefined;
  /** As this wire names it; undefined if there is none. */
  error: string | undefined;
  /** The response says that it has come to its end. */
  isWhole: boolean;
}

/** How the clients of one wire ask and read: what is held against every wire is held against each by this. */
export interface WireCase {
  name: string;
  path: string;
  /** What the ids of its responses begin with; the rest is the hold's. */
  idPrefix: string;
  body(ask: WireAsk): object;
  headers(secret: string): Record<string, string>;
  readWhole(json: unknown): WireTold;
  /** `events`: the data of each, in their order. */
  readStream(events: readonly string[]): WireTold;
  /** The text that one event adds. */
  textOf(event: string): string;
  /** What its clients are told of an error of ours. */
  nameOf(code: ErrorCode): string;
}
