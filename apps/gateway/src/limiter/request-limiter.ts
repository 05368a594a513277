/** Limits the requests of a key: so many in a sliding window, and so many at once. */
export interface RequestLimiter {
  /** Takes a place for a request. Throws `rate_limit_error`; a refused request takes no place. */
  take(apiKeyId: string): Promise<Place>;
}

/** A request's place among those that run at once. Its place in the window stays taken until it ages out. */
export interface Place {
  /** What the customer is told, where it is known: left out where only a part of the requests was counted. */
  headers: readonly (readonly [string, string])[];
  leave(): void;
}

export interface LimiterSettings {
  requests: number;
  windowMs: number;
  concurrent: number;
}
