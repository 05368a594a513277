/** What an error and the errors behind it say about their reason. */
export interface ErrorEvidence {
  /** SQLSTATE, Node's code, Prisma's code, and the kind that Prisma's driver adapter gives. */
  codes: string[];
  messages: string[];
}

const MAX_DEPTH = 5;

/**
 * Collects the codes of an error and of what it wraps. pg throws the server's answer itself, Node an
 * `AggregateError` where a name has several addresses, and Prisma an error of its own which keeps the driver's
 * under `meta.driverAdapterError`. Looks at shapes only, as the classes differ between bundles and realms.
 */
export function evidenceOf(error: unknown): ErrorEvidence {
  const evidence: ErrorEvidence = { codes: [], messages: [] };
  collect(error, MAX_DEPTH, evidence);
  return evidence;
}

function collect(value: unknown, depthLeft: number, into: ErrorEvidence): void {
  if (typeof value !== 'object' || value === null || depthLeft === 0) return;
  const fields = value as Record<string, unknown>;
  for (const code of [fields.code, fields.originalCode, fields.kind]) {
    if (typeof code === 'string') into.codes.push(code);
  }
  if (typeof fields.message === 'string') into.messages.push(fields.message);

  const wrapped = Array.isArray(fields.errors) ? (fields.errors as unknown[]) : [];
  for (const next of [...wrapped, fields.cause, fields.meta, fields.driverAdapterError]) {
    collect(next, depthLeft - 1, into);
  }
}
