import { z } from 'zod';

/**
 * An object of a client's own, kept as it is. A `z.record` would copy it: with thousands of members that takes
 * milliseconds, and this takes one microsecond.
 */
export const givenObject = z
  .unknown()
  .check(({ value, issues }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      issues.push({ code: 'invalid_type', expected: 'record', input: value });
  })
  .meta({
    'x-wire': { type: 'object', additionalProperties: {} },
  }) as unknown as z.ZodType<Record<string, unknown>, Record<string, unknown>>;
