import { byTokenColumn, WHOLE_OF } from '@farebox/money';
import { z } from 'zod';
import { formatParameter, pageLimit } from './fields';

/** A kind of document with a number, such as an invoice. `prefix`: of its numbers; `name`: with its article. */
export function numberedDocument(prefix: string, name: string) {
  const pattern = new RegExp(`^${prefix}-\\d{4}-\\d{6,9}$`);
  const message = `must be the number of ${name}, like ${prefix}-2026-000042`;
  return {
    number: z.string().regex(pattern).describe('Consecutive within a year, across the whole service.'),
    listQuery: z.strictObject({
      limit: pageLimit,
      after: z.string(message).regex(pattern, message).optional(),
    }),
    getQuery: z.strictObject(formatParameter(['json', 'html', 'pdf'])),
    /** Whether a text can be the number of such a document. */
    isNumber: (text: unknown): text is string => typeof text === 'string' && pattern.test(text),
  };
}

/** The usage of a model on a line of a document. */
export const documentUsage = {
  model: z.string(),
  requests: z.int().min(0),
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  ...byTokenColumn((kind) =>
    z.int().min(0).describe(`Of the ${WHOLE_OF[kind]} tokens, as far as the model told.`),
  ),
};
