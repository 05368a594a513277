/** Work that runs once at a time for each key: callers during a run share its result or its error. */
export class SingleFlights<Key, Result> {
  readonly #running = new Map<Key, Promise<Result>>();

  /** The current run, if there is one. */
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

/** The same for work without a key. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  const flights = new SingleFlights<undefined, Result>();
  return () => flights.run(undefined, work);
}
