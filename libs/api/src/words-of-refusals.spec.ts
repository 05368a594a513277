import { ApiError } from '@farebox/errors';
import fc from 'fast-check';
import { z } from 'zod';
import { parseBody, parseQuery } from './describe-issue';
import { OPERATIONS } from './operations';
import type { Operation } from './operation';

// No refusal of a body or a query contains zod's own texts: they speak of code, and change with its version.

const RUNS = Number(process.env['FAREBOX_TEST_FUZZ_RUNS'] ?? 300);

/** Zod's own text about the problem of a value at any depth. */
function wordsOfZod(schema: z.ZodType, value: unknown): string[] {
  const say = z.locales.en().localeError;
  const words = (issue: z.core.$ZodIssue): string[] => {
    const said = say({ ...issue, input: undefined });
    const deeper =
      issue.code === 'invalid_union'
        ? issue.errors.flat()
        : issue.code === 'invalid_key' || issue.code === 'invalid_element'
          ? issue.issues
          : [];
    return [typeof said === 'string' ? said : (said?.message ?? ''), ...deeper.flatMap(words)];
  };
  return schema.safeParse(value, { reportInput: true }).error?.issues.flatMap(words) ?? [];
}

/** Begins a message of zod's, or is in the middle of one. */
const SOUNDS_LIKE_ZOD =
  /\b(expected|received|Invalid|Too (?:small|big)|Unrecognized|NaN|undefined|discriminator)\b/;

/** The sentence is checked without the names and values that come from the client or the contract. */
const withoutNames = (message: string): string => message.replace(/'[^']*'|"[^"]*"/g, '');

function refusalOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.publicMessage;
  }
}

function expectOwnWords(message: string | undefined, zods: readonly string[]): void {
  if (message === undefined) return;
  expect(message).toMatch(/^(The |')[^]*\.$/);
  expect(withoutNames(message)).not.toMatch(SOUNDS_LIKE_ZOD);
  for (const words of zods) {
    if (words === '') continue;
    expect(message).not.toContain(words);
    // The text after "Invalid input: " is zod's too.
    const reason = words.split(': ').slice(1).join(': ');
    if (reason.length > 8) expect(message).not.toContain(reason);
  }
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    1e400,
    9e15,
    '',
    ' ',
    'x',
    [],
    {},
    [[]],
    [null],
    '1',
    'a'.repeat(5_000),
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Every position of a value, as a path. */
function placesOf(value: unknown, at: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [at];
  return [
    at,
    ...Object.entries(value).flatMap(([key, inner]) =>
      placesOf(inner, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

/** A copy with another value at that position, or without it. */
function changed(value: unknown, [first, ...rest]: (string | number)[], to: unknown): unknown {
  if (first === undefined) return to;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  if (rest.length === 0 && to === undefined) Reflect.deleteProperty(copy, first);
  else copy[first] = changed(copy[first], rest, to);
  return copy;
}

const TAKING_A_BODY = OPERATIONS.flatMap((operation: Operation) =>
  operation.body ? [[operation.id, operation.body] as const] : [],
);
const TAKING_A_QUERY = OPERATIONS.flatMap((operation: Operation) =>
  operation.query ? [[operation.id, operation.query] as const] : [],
);

it.each(TAKING_A_BODY)('%s refuses bodies with our own messages', (_id, { schema, examples }) => {
  const example = fc.constantFrom(...Object.values(examples));
  const wrong = example.chain((right) =>
    fc
      .tuple(fc.constantFrom(...placesOf(right)), fc.oneof(junk, fc.constant(undefined)))
      .map(([place, to]) => changed(right, place, to)),
  );
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: wrong }, { weight: 1, arbitrary: junk }), (body) => {
      expectOwnWords(
        refusalOf(() => parseBody(schema, body)),
        wordsOfZod(schema, body),
      );
    }),
    { numRuns: RUNS },
  );
});

it.each(TAKING_A_QUERY)('%s refuses queries with our own messages', (_id, schema) => {
  const names = Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {});
  const value = fc.oneof(
    fc.constantFrom('', '0', '-1', 'x', 'NaN', '2026-13-01', '9'.repeat(30), 'null', '[]'),
    fc.string({ maxLength: 20 }),
    fc.array(fc.string(), { maxLength: 2 }),
    fc.dictionary(fc.string(), fc.string(), { maxKeys: 1 }),
  );
  const query = fc.dictionary(fc.constantFrom(...names, 'unknown'), value, { minKeys: 1, maxKeys: 3 });
  fc.assert(
    fc.property(query, (given) => {
      expectOwnWords(
        refusalOf(() => parseQuery(schema, given)),
        wordsOfZod(schema, given),
      );
    }),
    { numRuns: RUNS },
  );
});
