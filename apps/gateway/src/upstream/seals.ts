/**
 * Sealed reasoning is a secret between a model's server and itself. Clients keep it and send it back, whatever server is
 * asked then: a mark says what a seal is, so that none is given to a server that cannot open it. Those of Anthropic's
 * messages have no mark, but within Responses.
 */
const MARKS = {
  /** Of a server of Responses. */
  responses: 'rs1.',
  /** A signature that came with a call: Gemini's. */
  call: 'cs1.',
  /** A thought, and the signature of its text if it has one, for clients that send back nothing but seals. */
  thought: 'th1.',
  messages: 'ms1.',
} as const;

type Kind = keyof typeof MARKS;

const opened = (kind: Kind, seal: string): string | undefined =>
  seal.startsWith(MARKS[kind]) ? seal.slice(MARKS[kind].length) : undefined;

export const sealOfResponses = (encrypted: string): string => MARKS.responses + encrypted;

/** Undefined if it is another's. So below. */
export const openForResponses = (seal: string): string | undefined => opened('responses', seal);

export const sealOfCall = (signature: string): string => MARKS.call + signature;
export const openCall = (seal: string): string | undefined => opened('call', seal);

export function isOfMessages(seal: string): boolean {
  return !Object.values(MARKS).some((mark) => seal.startsWith(mark));
}

/** A seal as a client of Responses gets it. */
export function markedSeal(data: string): string {
  return isOfMessages(data) ? MARKS.messages + data : data;
}

/** The seal that a client of Responses was given; undefined if it was given by another service. */
export function unmarkedSeal(seal: string): string | undefined {
  const data = opened('messages', seal);
  if (data !== undefined) return data;
  return openForResponses(seal) === undefined ? undefined : seal;
}

interface Thought {
  text: string;
  signature?: string | undefined;
}

export function sealOfThought(thought: Thought): string {
  return MARKS.thought + Buffer.from(JSON.stringify(thought)).toString('base64url');
}

export function openThought(seal: string): Thought | undefined {
  const written = opened('thought', seal);
  if (written === undefined) return undefined;
  try {
    const { text, signature } = JSON.parse(Buffer.from(written, 'base64url').toString()) as Partial<Thought>;
    if (typeof text !== 'string') return undefined;
    return { text, ...(typeof signature === 'string' && { signature }) };
  } catch {
    return undefined;
  }
}
