/** The bytes of a server are not valid HTTP. */
export class MalformedAnswer extends Error {
  constructor(what: string, at: string) {
    super(`${what}, at ${JSON.stringify(at.slice(0, 200))}`);
    this.name = 'MalformedAnswer';
  }
}
