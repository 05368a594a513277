import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const localSchema = z.object({
  /** Clients append `/v1`. */
  base_url: z.string(),
  gateway_url: z.string(),
  account_url: z.string(),
  api_key: z.string(),
  session_token: z.string(),
  account_id: z.string(),
  /** The owner's, for `npm run admin`. */
  database_url: z.string(),
  /** For `npm run admin -- catalog apply`: the catalogue names it. */
  simulated_upstream_url: z.string(),
});

/** `.farebox/local.json`: where the local Farebox is, and the demo account's credentials. */
export type LocalFile = z.infer<typeof localSchema>;

/** What the last run wrote; undefined where there is nothing usable. */
export function readLocalFile(file: string): LocalFile | undefined {
  try {
    return localSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Readable by this user alone; whoever reads it meanwhile sees the old one or the new one. */
export function writeLocalFile(file: string, content: LocalFile): void {
  const incoming = `${file}.incoming`;
  writeFileSync(incoming, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(incoming, file);
}
