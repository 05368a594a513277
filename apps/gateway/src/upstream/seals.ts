/**
 * Sealed reasoning is a secret between a model's server and itself. Clients keep it and send it back, whatever server is
 * asked then: a seal says which kind of server can open it, so that no other is given it. Messages' own have no mark.
 */
const MARKS = { responses: 'rs1.', call: 'cs1.' } as const;

export function sealOfResponses(encrypted: string): string {
  return MARKS.responses + encrypted;
}

/** Undefined if it is another's. */
export function openForResponses(seal: string): string | undefined {
  return seal.startsWith(MARKS.responses) ? seal.slice(MARKS.responses.length) : undefined;
}

export function isOfMessages(seal: string): boolean {
  return !Object.values(MARKS).some((mark) => seal.startsWith(mark));
}
