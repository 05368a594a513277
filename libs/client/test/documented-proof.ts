import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LedgerProof } from '../src/check-proof';

const FILE = path.join(__dirname, '../../../docs/use/openapi.json');
const PATH = '/v1/billing/transactions/{transaction_id}/proof';

interface Document {
  paths: Record<
    string,
    { get: { responses: Record<string, { content: Record<string, { examples: Examples }> }> } }
  >;
}
type Examples = Record<string, { value: LedgerProof }>;

/** The example of a proof in the API's document, whose hashes and signature are right. */
export function documentedProof(): LedgerProof {
  const { paths } = JSON.parse(readFileSync(FILE, 'utf8')) as Document;
  const proof =
    paths[PATH]?.get.responses['200']?.content['application/json']?.examples['of_a_charge']?.value;
  if (!proof) throw new Error('the document has no example of a proof');
  return proof;
}
