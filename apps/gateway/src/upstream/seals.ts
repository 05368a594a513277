/**
 * Sealed reasoning is readable only by the model's own server. Clients keep it and send it back, whichever
 * server is asked then. A mark shows where a seal came from, so that no server gets one that it cannot open.
 * Seals of Anthropic's messages have a mark only within Responses.
 */
const MARKS = {
  /** From a Responses server. */
  responses: 'rs1.',
  /** The signature of a call, from Gemini. */
  call: 'cs1.',
  /** A thought, with the signature of its text if any, for clients that send back only seals. */
  thought: 'th1.',
  messages: 'ms1.',
} as const;

type Kind = keyof typeof MARKS;

const opened = (kind: Kind, seal: string): string | undefined =>
  seal.startsWith(MARKS[kind]) ? seal.slice(MARKS[kind].length) : undefined;

export const sealOfResponses = (encrypted: string): string => MARKS.responses + encrypted;

/** Undefined if the seal has another mark. The same applies below. */
export const openForResponses = (seal: string): string | undefined => opened('responses', seal);

export const sealOfCall = (signature: string): string => MARKS.call + signature;
export const openCall = (seal: string): string | undefined => opened('call', seal);

export function isOfMessages(seal: string): boolean {
  return !Object.values(MARKS).some((mark) => seal.startsWith(mark));
}

/** The form of a seal for a client of Responses. */
export function markedSeal(data: string): string {
  return isOfMessages(data) ? MARKS.messages + data : data;
}

/** Reverses `markedSeal`; undefined if another service made the seal. */
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
