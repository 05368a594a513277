import { uuidV7 } from '@farebox/ids';
import type { Pool } from 'pg';
import type { Report } from '../command-run';
import type { ActionDetails } from './record-action';
import type { Acting } from './run-change';

type Queryable = Pick<Pool, 'query'>;

/** What is noted in the audit log of a movement of money. */
export interface MovementNote {
  /** The public id of what is changed. */
  target: string;
  details: ActionDetails;
  /** SQL, over the columns of the statement's answer: whether it changed anything. */
  when: string;
  /** SQL, likewise: a `jsonb` of further details that are only known from the answer. */
  answered?: string;
}

/** What a command that moves money works with: there is no transaction around it. */
export interface Movement {
  /** For looking, before and after. */
  pool: Pool;
  /** Who does it. */
  operator: string;
  /** Takes one statement, `query(text, values)`, which moves the money and writes the audit log in the same round trip. */
  noting: (note: MovementNote) => Queryable;
}

/**
 * Moves money in one call. It takes the lock of an account, behind which the account's requests wait: in a transaction
 * of several round trips they would wait for an operator's network, however long it is away.
 */
export async function runMovement(
  pool: Pool,
  acting: Acting,
  command: (movement: Movement) => Promise<Report>,
): Promise<Report> {
  return command({ pool, operator: acting.operator, noting: notingOn(pool, acting) });
}

/** See `Movement.noting`. */
export function notingOn(pool: Pool, acting: Acting): Movement['noting'] {
  return (note) => notingQueryable(pool, acting, note);
}

function notingQueryable(
  pool: Pool,
  { operator, action }: Acting,
  { target, details, when, answered = `'{}'::jsonb` }: MovementNote,
): Queryable {
  const query = (text: string, values: readonly unknown[]): Promise<unknown> => {
    const noted = [uuidV7(), operator, action, target, JSON.stringify(details)];
    const [id, by, what, to, how] = noted.map((_, i) => `$${String(values.length + i + 1)}`);
    return pool.query(
      `WITH moved AS MATERIALIZED (${text}),
       noted AS (
         INSERT INTO operator_action (id, operator, action, target, outcome, details)
         SELECT ${id}::uuid, ${by}, ${what}, ${to}, 'done', ${how}::jsonb || ${answered} FROM moved WHERE ${when}
       )
       SELECT * FROM moved`,
      [...values, ...noted],
    );
  };
  return { query } as Queryable;
}
