import { fromPublicId, type IdPrefix } from '@farebox/auth';
import { z } from 'zod';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const LIMIT_MESSAGE = `must be a whole number from 1 to ${String(MAX_LIMIT)}`;

/** How many records a page has at most. `x-wire`: how it is written, for the OpenAPI document. */
export const pageLimit = z
  .string(LIMIT_MESSAGE)
  .regex(/^[1-9]\d{0,2}$/, LIMIT_MESSAGE)
  .transform(Number)
  .pipe(z.number().max(MAX_LIMIT, LIMIT_MESSAGE))
  .default(DEFAULT_LIMIT)
  .meta({
    'x-wire': { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    description: 'How many records the page has at most.',
  });

/** Query parameters of every list. `after` is the id of the last record of the page before, read into its UUID. */
export function pageParameters(prefix: IdPrefix) {
  return {
    limit: pageLimit,
    after: z
      .string(cursorMessage(prefix))
      .transform((text, context): string => {
        const uuid = fromPublicId(prefix, text);
        if (uuid !== undefined) return uuid;
        context.addIssue({ code: 'custom', message: cursorMessage(prefix) });
        return z.NEVER;
      })
      .optional()
      .describe('The id of the last record of the page before.'),
  };
}

function cursorMessage(prefix: IdPrefix): string {
  return `must be the id of a record of this list, like ${prefix}_…`;
}

/** One page of a list, newest first. */
export interface ListPage<Record> {
  object: 'list';
  data: Record[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

export function listPage<Schema extends z.ZodType>(record: Schema) {
  return z.strictObject({
    object: z.literal('list'),
    data: z.array(record),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });
}

/** A page of records that were read with one more than `limit`: whether there is one more is `has_more`. */
export function toListPage<Record>(
  records: readonly Record[],
  limit: number,
  idOf: (record: Record) => string,
): ListPage<Record> {
  const data = records.slice(0, limit);
  const [first] = data;
  const last = data.at(-1);
  return {
    object: 'list',
    data,
    first_id: first === undefined ? null : idOf(first),
    last_id: last === undefined ? null : idOf(last),
    has_more: records.length > limit,
  };
}
