import { z } from 'zod';

/** A problem of a value. `path` leads to it, from the value on. */
interface Problem {
  message: string;
  path?: PropertyKey[];
}

/**
 * For `.check()`: the problem of a value, if it has one. In place of `superRefine`, which keeps the value in memory
 * until a full collection. Why: docs/benchmarks/hot-path.md.
 */
export function problemBy<Value>(find: (value: Value) => Problem | undefined) {
  return (payload: z.core.ParsePayload<Value>): void => {
    const problem = find(payload.value);
    if (problem) payload.issues.push({ code: 'custom', input: payload.value, ...problem });
  };
}

/** For values of requests, in place of `.transform()`, which keeps them in memory as `superRefine` does. */
export function changed<Schema extends z.ZodType, Result>(
  schema: Schema,
  change: (value: z.output<Schema>, payload: z.core.ParsePayload<z.output<Schema>>) => Result,
) {
  const changing = new z.core.$ZodTransform({
    type: 'transform',
    transform: change as (value: unknown, payload: z.core.ParsePayload) => Result,
  });
  return z.pipe(schema, changing as unknown as z.core.$ZodTransform<Result, z.output<Schema>>);
}
