import { MOST_CSV_LINES } from '@farebox/api';
import { ApiError } from '@farebox/errors';

/** Throws `invalid_request_error` for more lines than a table may have: nobody may take a part for the whole. */
export function requireExportable(lines: number): void {
  if (lines <= MOST_CSV_LINES) return;
  throw new ApiError('invalid_request_error', {
    param: 'start',
    message:
      `There are more than ${MOST_CSV_LINES.toLocaleString('en-US')} lines in this range. Choose a shorter one, or read it ` +
      "in pages with 'limit'.",
  });
}
