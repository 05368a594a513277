import { turnsBeside } from '@farebox/testing';

interface Watched<Result> {
  result: Result;
  /** How many turns others had. */
  turns: number;
  /** The longest text that JSON parsed or wrote in one step. */
  longestAtOnce: number;
}

/** Runs some work, and measures how much JSON it handles at once. */
export async function watched<Result>(work: () => Promise<Result>): Promise<Watched<Result>> {
  const parsed = jest.spyOn(JSON, 'parse');
  const stringified = jest.spyOn(JSON, 'stringify');
  try {
    const { result, turns } = await turnsBeside(work);
    const texts = [
      ...parsed.mock.calls.map(([text]) => text),
      ...stringified.mock.results.map(({ value }) => String(value)),
    ];
    return { result, turns, longestAtOnce: Math.max(0, ...texts.map(({ length }) => length)) };
  } finally {
    parsed.mockRestore();
    stringified.mockRestore();
  }
}
