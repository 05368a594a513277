import { byTokenKind, TOKEN_COLUMNS, type NanoUsd, type TokenColumn, type TokenKind } from '@farebox/money';
import type pg from 'pg';
import { sourcesOf, type SliceOfBooks } from './sources';

/** The tokens of a request, according to its record. */
export interface RecordedTokens extends Partial<Record<TokenKind, number | undefined>> {
  promptTokens: number;
  completionTokens: number;
  images?: number | undefined;
}

/** A version of a model's prices. */
interface PricedVersion {
  modelId: string;
  costOf: (tokens: RecordedTokens) => NanoUsd;
}

/** Reads price versions by id; missing ones are left out. The ledger itself has no prices. */
export type ReadPrices = (
  client: Pick<pg.ClientBase, 'query'>,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, PricedVersion>>;

export const COST_CHECK = 'a request costs what its price version says of its tokens';

interface Found {
  account_id: string;
  detail: string;
}

/** Records per read: their costs are computed before others get their turn. */
const RECORDS_PER_READ = 1_000;
/** Findings per slice; more of them add no information. */
const MOST_FOUND = 10;

/**
 * Recomputes the cost of each record in a slice, with the function that charges. Two things lower a charge:
 * it never exceeds its hold, as its review records exactly, and a failed charge takes the amount that its
 * review reserved.
 */
export async function checkCosts(
  client: pg.ClientBase,
  slice: SliceOfBooks,
  readPrices: ReadPrices,
): Promise<Found[]> {
  const prices = new Prices(client, readPrices);
  const found: Found[] = [];
  const cheap = new CheapRecords();
  for await (const records of readRecords(client, sourcesOf(slice).usage)) {
    await prices.know(records);
    const unlike = records.filter((record) => prices.costOf(record) !== BigInt(record.cost_nano));
    const reserves = await readReserves(client, unlike);
    for (const record of unlike) {
      const costNano = prices.costOf(record);
      const reserve = reserves.get(record.id);
      if (costNano === undefined) found.push(toFound(record, 'which is none of its model'));
      else if (reserve !== undefined) {
        if (BigInt(record.cost_nano) !== least(costNano, reserve)) found.push(toFound(record, costNano));
      } else if (BigInt(record.cost_nano) > costNano) found.push(toFound(record, costNano));
      else cheap.add(record, costNano);
      if (found.length >= MOST_FOUND) return found;
    }
  }
  for (const day of cheap.days()) {
    const unexplained = await isUnexplained(client, day, prices, slice.purgedBefore);
    if (unexplained) found.push(...day.records.map(({ record, costNano }) => toFound(record, costNano)));
    if (found.length >= MOST_FOUND) break;
  }
  return found.slice(0, MOST_FOUND);
}

interface Row extends Record<TokenColumn, number | null> {
  id: string;
  account_id: string;
  model_id: string;
  price_version_id: string;
  day: string;
  prompt_tokens: number;
  completion_tokens: number;
  images: number | null;
  cost_nano: string;
}

const COLUMNS = `u.id::text, u.account_id::text, u.model_id, u.price_version_id::text, u.day::text, u.prompt_tokens,
  u.completion_tokens, ${TOKEN_COLUMNS.map((column) => `u.${column}`).join(', ')}, u.images, u.cost_nano::text`;

/** Uses a cursor: an account with free requests has any number of records without entries. */
async function* readRecords(client: pg.ClientBase, source: string): AsyncGenerator<Row[]> {
  await client.query(`DECLARE priced_record NO SCROLL CURSOR FOR SELECT ${COLUMNS} FROM ${source} u`);
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${String(RECORDS_PER_READ)} FROM priced_record`);
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('CLOSE priced_record');
}

class Prices {
  readonly #client: pg.ClientBase;
  readonly #read: ReadPrices;
  readonly #versions = new Map<string, PricedVersion | undefined>();

  constructor(client: pg.ClientBase, read: ReadPrices) {
    this.#client = client;
    this.#read = read;
  }

  async know(records: readonly Row[]): Promise<void> {
    const ids = new Set(records.map(({ price_version_id: id }) => id));
    const unknown = [...ids].filter((id) => !this.#versions.has(id));
    if (unknown.length === 0) return;
    const versions = await this.#read(this.#client, unknown);
    for (const id of unknown) this.#versions.set(id, versions.get(id));
  }

  /** Undefined if the model never had these prices. */
  costOf(record: Row): NanoUsd | undefined {
    const version = this.#versions.get(record.price_version_id);
    if (version?.modelId !== record.model_id) return undefined;
    return version.costOf({
      promptTokens: record.prompt_tokens,
      completionTokens: record.completion_tokens,
      ...byTokenKind((_kind, column) => record[column] ?? undefined),
      images: record.images ?? undefined,
    });
  }
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The amounts held for requests whose charge failed. */
async function readReserves(
  client: pg.ClientBase,
  records: readonly Row[],
): Promise<ReadonlyMap<string, bigint>> {
  if (records.length === 0) return new Map();
  const { rows } = await client.query<{ id: string; held_nano: string }>(
    `SELECT id::text, held_nano::text FROM billing_review WHERE id = ANY ($1) AND reason = 'charge_failed'`,
    [records.map(({ id }) => id)],
  );
  return new Map(rows.map((row) => [row.id, BigInt(row.held_nano)]));
}

/** Records of one account, model and day, grouped like reviews, that cost less than their tokens. */
interface CheapDay {
  accountId: string;
  modelId: string;
  day: string;
  records: { record: Row; costNano: NanoUsd }[];
}

class CheapRecords {
  readonly #days = new Map<string, CheapDay>();

  add(record: Row, costNano: NanoUsd): void {
    const { account_id: accountId, model_id: modelId, day } = record;
    const key = [accountId, day, modelId].join(' ');
    const known = this.#days.get(key) ?? { accountId, modelId, day, records: [] };
    this.#days.set(key, known);
    if (known.records.length < MOST_FOUND) known.records.push({ record, costNano });
  }

  days(): CheapDay[] {
    return [...this.#days.values()];
  }
}

/** Measured from the admission: by then it was charged, or had its review. */
const LONGEST_REQUEST = '2 days';

/**
 * Whether a day's requests cost less than their tokens by an amount that the reviews of charges over their
 * holds do not explain. If part of the day's records is purged, any such review counts as an explanation.
 */
async function isUnexplained(
  client: pg.ClientBase,
  { accountId, modelId, day }: CheapDay,
  prices: Prices,
  purgedBefore: string,
): Promise<boolean> {
  const { rows } = await client.query<{ reviews: number; missing_nano: string; is_whole: boolean }>(
    `SELECT count(*)::int AS reviews, coalesce(sum(measured_cost_nano - held_nano), 0)::text AS missing_nano,
            $3::date::timestamp AT TIME ZONE 'UTC' >= $4::timestamptz AS is_whole
     FROM billing_review WHERE account_id = $1 AND model_id = $2 AND day = $3 AND reason = 'usage_over_hold'`,
    [accountId, modelId, day, purgedBefore],
  );
  const [said] = rows;
  if (!said || said.reviews === 0) return true;
  if (!said.is_whole) return false;
  let missingNano = 0n;
  const ofDay = `(SELECT * FROM usage_record r WHERE account_id = '${accountId}' AND day = '${day}'
    AND created_at >= timestamptz '${day} 00:00Z' AND created_at < timestamptz '${day} 00:00Z' + interval '${LONGEST_REQUEST}'
    AND NOT EXISTS (SELECT FROM billing_review WHERE id = r.id AND reason = 'charge_failed'))`;
  for await (const records of readRecords(client, ofDay)) {
    await prices.know(records);
    for (const record of records)
      if (record.model_id === modelId)
        missingNano += (prices.costOf(record) ?? 0n) - BigInt(record.cost_nano);
  }
  return missingNano !== BigInt(said.missing_nano);
}

function toFound(record: Row, cost: NanoUsd | string): Found {
  const { id, account_id, cost_nano, price_version_id: version } = record;
  const said = typeof cost === 'string' ? cost : `its tokens cost ${String(cost)}`;
  return {
    account_id,
    detail: `request ${id}: cost ${cost_nano}, by price version ${version} ${said}`,
  };
}
