import type { Content } from './content';

interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[];
}

/** How sure the arithmetic is of what it says: always the same. The alternatives are less likely one by one. */
function tokenLogprob(token: string, rank: number): TokenLogprob {
  return { token, logprob: -0.25 - rank, bytes: [...Buffer.from(token)] };
}

/** The log probabilities of pieces of text, with so many alternatives each. */
export function logprobsOf(pieces: Content['pieces'], alternatives: number): object {
  const content = pieces
    .filter(({ kind }) => kind === 'content')
    .map(({ text }) => ({
      ...tokenLogprob(text, 0),
      top_logprobs: Array.from({ length: alternatives }, (_, rank) =>
        tokenLogprob(rank === 0 ? text : `${text}${String(rank)}`, rank),
      ),
    }));
  return { content, refusal: null };
}
