/** The requests that a process is working on, with what they still do when their answer is over: charges and refunds. */
export class RunningRequests {
  readonly #running = new Set<Promise<void>>();

  /** Answers with the promise that it was given. */
  follow(request: Promise<void>): Promise<void> {
    this.#running.add(request);
    const forget = (): void => {
      this.#running.delete(request);
    };
    request.then(forget, forget);
    return request;
  }

  /** Resolves when nothing is worked on. Never rejects. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
