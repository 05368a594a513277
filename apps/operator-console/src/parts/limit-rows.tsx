import type { Row } from '../row-fields';
import { VerbButton } from './verb-button';

/** The fields of a limit, as columns. */
export const LIMIT_FIELDS = ['measure', 'limit', 'per', 'account_id', 'cohort', 'key_public_id', 'model'];

export function RemoveLimit({ row }: { row: Row }) {
  return (
    <VerbButton
      size="compact-sm"
      verb="limit remove"
      given={{ limit: String(row['limit_id']) }}
      label="Remove"
      title="Remove the limit"
    />
  );
}
