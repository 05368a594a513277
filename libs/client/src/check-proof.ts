import type { components } from './generated/api';

export type LedgerProof = components['schemas']['LedgerProof'];
export type LedgerRoot = components['schemas']['LedgerRoot'];

/** Why a proof does not hold. */
export type ProofProblem =
  /** It is not of a version that this program knows. */
  | 'unknown_version'
  /** The entry is not that of the transaction. */
  | 'other_transaction'
  /** The entry is not of the root's day. */
  | 'other_day'
  /** The path does not lead from the entry to the root. */
  | 'not_in_root'
  | 'not_signed'
  | 'wrong_signature'
  /** Signed with another key than the expected one. */
  | 'other_key'
  /** This browser knows no Ed25519. */
  | 'signature_not_checked'
  /** The root is not among the given ones. */
  | 'not_published'
  /** A given root does not continue that of the day before. */
  | 'broken_chain';

/** The entry of a proof. */
export interface ProvenEntry {
  id: string;
  accountId: string;
  /** Its number among the entries of its account. */
  seq: string;
  kind: string;
  fromBook: string;
  toBook: string;
  /** US dollars with nine decimal places, without a sign. */
  amount: string;
  balanceAfter: string;
  refundedEntryId: string | null;
  createdAt: string;
}

export interface ProofCheck {
  /** Undefined if it cannot be read. */
  entry: ProvenEntry | undefined;
  /** None if the proof holds. */
  problems: ProofProblem[];
}

export interface ProofExpectations {
  /** The operator's key, 64 hex digits, if it is known from elsewhere. */
  publicKey?: string;
  /** Roots that were published, in any order: they must be one chain, and have that of the proof. */
  roots?: readonly LedgerRoot[];
}

/** Checks a proof without the service: with SHA-256 and Ed25519 of the browser or of Node. */
export async function checkProof(
  proof: LedgerProof,
  { publicKey, roots }: ProofExpectations = {},
): Promise<ProofCheck> {
  const entry = readEntry(proof.entry);
  const problems: ProofProblem[] = [];
  if (!entry) problems.push('unknown_version');
  else {
    if (entry.id !== uuidOf(proof.transaction_id)) problems.push('other_transaction');
    if (!entry.createdAt.startsWith(proof.root.day)) problems.push('other_day');
  }
  if ((await climb(proof)) !== proof.root.root) problems.push('not_in_root');
  if (publicKey !== undefined && proof.root.public_key !== publicKey.toLowerCase())
    problems.push('other_key');
  problems.push(...(await checkSignature(proof.root)));
  if (roots) {
    if (!roots.some((root) => isSame(root, proof.root))) problems.push('not_published');
    for (const problem of await checkRoots(roots)) if (!problems.includes(problem)) problems.push(problem);
  }
  return { entry, problems };
}

/** Checks that roots are signed, and that each continues the one of the day before. */
export async function checkRoots(roots: readonly LedgerRoot[]): Promise<ProofProblem[]> {
  const problems = new Set<ProofProblem>();
  const inOrder = roots.toSorted((a, b) => (a.day < b.day ? -1 : 1));
  for (const [i, root] of inOrder.entries()) {
    for (const problem of await checkSignature(root)) problems.add(problem);
    const before = inOrder[i - 1];
    if (before && root.previous !== toHex(await sha256(ascii(statementOf(before)))))
      problems.add('broken_chain');
  }
  return [...problems];
}

const ENTRY = /^farebox-entry-1((?: [^ ]+){10})$/;

function readEntry(text: string): ProvenEntry | undefined {
  const fields = ENTRY.exec(text)?.[1]?.slice(1).split(' ');
  if (!fields) return undefined;
  const [id = '', accountId = '', seq = '', kind = '', fromBook = '', toBook = ''] = fields;
  const [amountNano = '', balanceAfterNano = '', refunded = '', createdAt = ''] = fields.slice(6);
  return {
    ...{ id, accountId, seq, kind, fromBook, toBook, createdAt },
    amount: toDollars(amountNano),
    balanceAfter: toDollars(balanceAfterNano),
    refundedEntryId: refunded === '-' ? null : refunded,
  };
}

function toDollars(nano: string): string {
  const digits = nano.padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The UUID in `txn_…`, which is written in Crockford's base 32. */
function uuidOf(publicId: string): string {
  let value = 0n;
  for (const letter of publicId.slice('txn_'.length)) value = value * 32n + BigInt(LETTERS.indexOf(letter));
  return value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The root that the path leads to, in hex: the hashes of RFC 6962. */
async function climb({ entry, path }: LedgerProof): Promise<string> {
  let at = await sha256(concat(Uint8Array.of(0), ascii(entry)));
  for (const { side, hash } of path) {
    const beside = fromHex(hash);
    at = await sha256(concat(Uint8Array.of(1), ...(side === 'left' ? [beside, at] : [at, beside])));
  }
  return toHex(at);
}

/** The text that is signed. */
function statementOf({ day, root, previous }: LedgerRoot): string {
  return `farebox ledger root 1\nday ${day}\nroot ${root}\nprevious ${previous}\n`;
}

async function checkSignature(root: LedgerRoot): Promise<ProofProblem[]> {
  const { public_key: publicKey, signature } = root;
  if (publicKey === null || signature === null) return ['not_signed'];
  try {
    const key = await crypto.subtle.importKey('raw', fromHex(publicKey), 'Ed25519', false, ['verify']);
    const isRight = await crypto.subtle.verify('Ed25519', key, fromHex(signature), ascii(statementOf(root)));
    return isRight ? [] : ['wrong_signature'];
  } catch (error) {
    return [
      error instanceof Error && error.name === 'NotSupportedError'
        ? 'signature_not_checked'
        : 'wrong_signature',
    ];
  }
}

function isSame(a: LedgerRoot, b: LedgerRoot): boolean {
  return a.day === b.day && a.root === b.root && a.previous === b.previous;
}

type Bytes = Uint8Array<ArrayBuffer>;

async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

function ascii(text: string): Bytes {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function concat(...parts: Bytes[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function toHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
