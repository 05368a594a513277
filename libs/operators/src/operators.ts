import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import type { OperatorRole } from './roles';

/** A person who operates the service. */
export interface Operator {
  id: string;
  /** In lower case. */
  email: string;
  role: OperatorRole;
  createdAt: Date;
}

const COLUMNS = 'id, email, role, created_at AS "createdAt"';

/** Oldest first, without those who were removed. */
export async function listOperators(db: Queryable): Promise<Operator[]> {
  const { rows } = await db.query<Operator>(
    `SELECT ${COLUMNS} FROM operator WHERE removed_at IS NULL ORDER BY id`,
  );
  return rows;
}

/** `email` in lower case. */
export async function findOperator(db: Queryable, email: string): Promise<Operator | undefined> {
  const { rows } = await db.query<Operator>(
    `SELECT ${COLUMNS} FROM operator WHERE email = $1 AND removed_at IS NULL`,
    [email],
  );
  return rows[0];
}

/** Adds a person, or changes the role of one who is there. Returns both states. */
export async function putOperator(
  db: Queryable,
  { email, role }: Pick<Operator, 'email' | 'role'>,
): Promise<{ operator: Operator; before: Operator | undefined }> {
  const before = await lockOperator(db, email);
  const { rows } = await db.query<Operator>(
    `INSERT INTO operator (id, email, role) VALUES ($1, $2, $3)
     ON CONFLICT (email) WHERE removed_at IS NULL DO UPDATE SET role = excluded.role
     RETURNING ${COLUMNS}`,
    [uuidV7(), email, role],
  );
  const [operator] = rows;
  if (!operator) throw new Error('the operator was not stored');
  return { operator, before };
}

/** Removes a person and ends their sessions and links. Returns them, or undefined if nobody has the address. */
export async function removeOperator(db: Queryable, email: string): Promise<Operator | undefined> {
  const found = await lockOperator(db, email);
  if (!found) return undefined;
  await db.query('UPDATE operator SET removed_at = now() WHERE id = $1', [found.id]);
  await db.query('UPDATE operator_session SET ended_at = now() WHERE operator_id = $1 AND ended_at IS NULL', [
    found.id,
  ]);
  await db.query('UPDATE operator_link SET used_at = now() WHERE operator_id = $1 AND used_at IS NULL', [
    found.id,
  ]);
  return found;
}

async function lockOperator(db: Queryable, email: string): Promise<Operator | undefined> {
  const { rows } = await db.query<Operator>(
    `SELECT ${COLUMNS} FROM operator WHERE email = $1 AND removed_at IS NULL FOR UPDATE`,
    [email],
  );
  return rows[0];
}
