import type { ErrorCode } from '@farebox/errors';

/** A client's request, independent of its wire. */
export interface WireAsk {
  model: string;
  /** Default: the same few words. */
  prompt?: string;
  stream?: boolean;
  /** Default 50. */
  maxTokens?: number;
  /** Offers a function and forces a call. */
  tool?: boolean;
}

/** A client's view of a response, independent of its wire. */
export interface WireResult {
  /** The id of the response in this wire's form. */
  id: string;
  text: string;
  /** Names of the called functions. */
  calls: string[];
  /** Undefined if the response is incomplete. `inputTokens` includes cached ones. */
  usage: { inputTokens: number; outputTokens: number; cost: string } | undefined;
  /** The error's name on this wire; undefined if there is none. */
  error: string | undefined;
  /** The response reports its end. */
  isWhole: boolean;
}

/** How the clients of one wire ask and read: tests for all wires run on each of these. */
export interface WireCase {
  name: string;
  path: string;
  /** The prefix of its response ids; the rest is the hold's id. */
  idPrefix: string;
  body(ask: WireAsk): object;
  headers(secret: string): Record<string, string>;
  readWhole(json: unknown): WireResult;
  /** `events`: the data of each, in order. */
  readStream(events: readonly string[]): WireResult;
  /** The text that one event adds. */
  textOf(event: string): string;
  /** This wire's name for one of our errors. */
  nameOf(code: ErrorCode): string;
}
