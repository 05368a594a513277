import { applyDueSchedule, LATE_SECONDS } from '@farebox/catalog';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';

/** Applies the catalogue whose time has come, or refuses it. Idempotent. */
export async function applyScheduledCatalog({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const ended = await applyDueSchedule(pool);
  if (!ended) return;
  const late = { late_seconds: ended.lateSeconds };
  if (ended.version === null) {
    const refused = { event: 'scheduled_catalog_refused', reason: ended.reason, ...late };
    log.error(refused, 'a scheduled catalogue was not applied');
    return;
  }
  const applied = { event: 'scheduled_catalog_applied', version: String(ended.version), ...late };
  if (ended.lateSeconds > LATE_SECONDS) log.warn(applied, 'a scheduled catalogue was applied late');
  else log.info(applied, 'a scheduled catalogue was applied');
}
