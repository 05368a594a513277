import type { Pool } from 'pg';
import type { ActionDetails, OperatorAction } from './record-action';

/** A row of the audit log. */
export interface RecordedAction extends OperatorAction {
  id: string;
  at: Date;
}

export interface ActionFilter {
  operator?: string | undefined;
  /** The command's words, or the first of them: `account` means every `account …`. */
  action?: string | undefined;
  target?: string | undefined;
  since?: Date | undefined;
  /** Rows older than this one. */
  afterId?: string | undefined;
  limit: number;
}

interface ActionRow extends Omit<OperatorAction, 'details'> {
  id: string;
  at: Date;
  details: ActionDetails;
}

/** What operators did, newest first. */
export async function listActions(db: Pick<Pool, 'query'>, filter: ActionFilter): Promise<RecordedAction[]> {
  const { rows } = await db.query<ActionRow>(
    `SELECT id, at, operator, action, target, outcome, details FROM operator_action
     WHERE ($1::text IS NULL OR operator = $1)
       AND ($2::text IS NULL OR action = $2 OR starts_with(action, $2 || ' '))
       AND ($3::text IS NULL OR target = $3)
       AND ($4::timestamptz IS NULL OR at >= $4)
       AND ($5::uuid IS NULL OR id < $5)
     ORDER BY id DESC LIMIT $6`,
    [
      ...[filter.operator ?? null, filter.action ?? null, filter.target ?? null],
      ...[filter.since ?? null, filter.afterId ?? null, filter.limit],
    ],
  );
  return rows;
}
