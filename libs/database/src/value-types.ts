import { types, type CustomTypesConfig } from 'pg';

type Parser = (text: string) => unknown;

/** Object ids of PostgreSQL's types, as `pg_type` has them. */
const INT8 = 20;
const DATE = 1082;
const TEXT_ARRAY = 1009;
const INT8_ARRAY = 1016;
const DATE_ARRAY = 1182;

/** pg's own parsers. Its types know fewer object ids than it does. */
const parserOf = types.getTypeParser as (oid: number, format?: string) => Parser;

const parseTextArray = parserOf(TEXT_ARRAY) as (text: string) => (string | null)[];

const parsers: Readonly<Record<number, Parser>> = {
  // A `number` loses nano-dollars above 9 million dollars.
  [INT8]: BigInt,
  [INT8_ARRAY]: (text) => parseTextArray(text).map((item) => (item === null ? null : BigInt(item))),
  // A calendar day has no time zone: pg's own parser makes it midnight of this machine's zone.
  [DATE]: (text) => text,
  [DATE_ARRAY]: parseTextArray,
};

/**
 * How values come back from a pool: `bigint` as `bigint`, `date` as its text (`"2026-11-21"`), `timestamptz` as
 * `Date`, the rest as pg has it. A property of the pool, so that nothing else in the process changes.
 */
export const valueTypes: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string): Parser =>
    (format === 'binary' ? undefined : parsers[oid]) ?? parserOf(oid, format),
};
