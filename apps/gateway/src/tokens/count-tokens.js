const { readlinkSync } = require('node:fs');
const { constants, setPriority } = require('node:os');
const { openTokenizer } = require('@farebox/flow/tokenizer');

// Runs only in a worker thread: counting may take seconds, and no request waits for another's.
//
// A tokenizer's time grows with the square of a run that its pattern does not split (letters, CJK, punctuation), and
// its authors leave that to the caller: openai/tiktoken#195, openai/harmony#151, dqbd/tiktoken#156,
// coder/ai-tokenizer#6. So it gets slices. At this length a slice of random CJK takes 2 ms and one of letters 0.3 ms,
// and the slices of a text without spaces have at most 0.1 % more tokens than the whole.
const SLICE_LENGTH = 256;

/** Others have their turn then: a piece that was begun is counted to its end. */
const TURN_NS = 10_000_000n;

/**
 * Counts as many pieces as fit into a turn of this thread, at least one; none if the count is no longer wanted.
 * `deadlineNs` is a time of `process.hrtime`.
 */
module.exports = function countTokens({ pieces, tokenizer, deadlineNs }) {
  const encoding = openTokenizer(tokenizer);
  giveWay();
  const begunAtNs = process.hrtime.bigint();
  let tokens = 0;
  let counted = 0;
  for (const texts of pieces) {
    const nowNs = process.hrtime.bigint();
    if (nowNs > deadlineNs || (counted > 0 && nowNs - begunAtNs > TURN_NS)) break;
    for (const text of texts) tokens += countInSlices(text, encoding);
    counted++;
  }
  return { tokens, pieces: counted };
};

/** The most frequent tokens, which come first, are searched for words: a quarter of them are words. */
const FREQUENT_TOKENS = 20_000;

/**
 * Loads the tables of tokenizers before a count needs them. Returns frequent single-token ASCII words of each, each
 * with a leading space, as one text, which is a cheap message.
 */
module.exports.prepare = function prepare({ tokenizers }) {
  const words = tokenizers.map(frequentWords);
  giveWay();
  return words;
};

function frequentWords(tokenizer) {
  const encoding = openTokenizer(tokenizer);
  const frequent = Array.from({ length: FREQUENT_TOKENS }, (_, token) =>
    Buffer.from(encoding.bytesOf(token)).latin1Slice(),
  );
  return frequent.filter((text) => /^ [A-Z]?[a-z]+$/.test(text)).join('');
}

let hasGivenWay = false;

/**
 * The event loop goes before counts: if both want the same processor, counts get a tenth. Not less, since charges
 * wait for some of them: at the lowest priority on a busy machine, a piece that takes milliseconds took seconds, and
 * everything behind it was late. For the same reason the tables are loaded first. Only Linux has priorities per thread.
 */
function giveWay() {
  if (hasGivenWay) return;
  hasGivenWay = true;
  try {
    const [threadId] = readlinkSync('/proc/thread-self').match(/\d+$/);
    setPriority(Number(threadId), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Elsewhere threads share a priority.
  }
}

function countInSlices(text, encoding) {
  let tokens = 0;
  for (let start = 0; start < text.length;) {
    const end = endOfSlice(text, start);
    tokens += encoding.countTokens(text.slice(start, end));
    start = end;
  }
  return tokens;
}

function endOfSlice(text, start) {
  const end = start + SLICE_LENGTH;
  if (end >= text.length) return text.length;
  // The tokenizer itself cuts in front of a space, unless it is one of several.
  for (let space = end; space > start; space--)
    if (text[space] === ' ' && text[space - 1] !== ' ') return space;
  return isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
}

function isLowSurrogate(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
