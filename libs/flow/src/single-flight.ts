/** Work that runs once at a time for each key: whoever asks while it runs shares its result, or what it throws. */
export class SingleFlights<Key, Result> {
  readonly #running = new Map<Key, Promise<Result>>();

  /** The run that is under way, if there is one. */
  running(key: Key): Promise<Result> | undefined {
    return this.#running.get(key);
  }

  run(key: Key, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running) return running;
    const begun = work().finally(() => {
      this.#running.delete(key);
    });
    this.#running.set(key, begun);
    return begun;
  }
}

/** The same for work that has no key. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  const flights = new SingleFlights<undefined, Result>();
  return () => flights.run(undefined, work);
}
