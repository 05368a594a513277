import type { Ending } from '../raw-http/raw-exchange';

/** The part of a conversation that was sent, and how the client ended it. */
export interface Sent {
  text: string;
  ending: Ending;
}

/**
 * Reasons to close a connection without an answer, each with the condition that permits it. The first that
 * applies is the reason.
 */
const SILENCES = [
  {
    reason: 'the client left',
    source: 'RFC 9112, 9.5: a connection may be closed at any time; nobody reads an answer',
    fits: ({ ending }: Sent) => ending.kind === 'leaves',
  },
  {
    reason: 'nothing was sent',
    source: 'RFC 9112, 9.5: an idle connection may be closed',
    fits: ({ text }: Sent) => text === '',
  },
  {
    reason: 'nothing but line ends was sent',
    source: 'RFC 9112, 2.2: empty lines before a request line are ignored',
    fits: ({ text }: Sent) => /^[\r\n]*$/.test(text),
  },
  {
    reason: 'the client ended their side',
    source:
      'RFC 9112, 9.6: TCP does not distinguish a half-close from a client who left, whose model stops within a second',
    fits: ({ ending }: Sent) => ending.kind === 'halfCloses',
  },
] as const;

export type Silence = (typeof SILENCES)[number]['reason'];

/** The permitted reason for a conversation without an answer; undefined if it must have one. */
export function permittedSilence(sent: Sent): Silence | undefined {
  return SILENCES.find(({ fits }) => fits(sent))?.reason;
}
