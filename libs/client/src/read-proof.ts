import type { LedgerProof, LedgerRoot } from './check-proof';

/** A proof in a JSON text, which may be a whole receipt. Undefined if there is none. */
export function readProof(text: string): LedgerProof | undefined {
  const value = parse(text);
  const proof = isObject(value) && value['object'] === 'request' ? value['proof'] : value;
  return isProof(proof) ? proof : undefined;
}

/** The roots in a JSON text: a page of `GET /v1/ledger/roots`, or one root. Undefined if there are none. */
export function readRoots(text: string): LedgerRoot[] | undefined {
  const value = parse(text);
  const roots: unknown = isObject(value) && Array.isArray(value['data']) ? value['data'] : [value];
  return Array.isArray(roots) && roots.every(isRoot) ? roots : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const isHex = (value: unknown, bytes: number): boolean =>
  typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value);

function isRoot(value: unknown): value is LedgerRoot {
  if (!isObject(value)) return false;
  const { object, day, root, previous, public_key: publicKey, signature } = value;
  return (
    object === 'ledger_root' &&
    typeof day === 'string' &&
    isHex(root, 32) &&
    isHex(previous, 32) &&
    (publicKey === null || isHex(publicKey, 32)) &&
    (signature === null || isHex(signature, 64))
  );
}

function isProof(value: unknown): value is LedgerProof {
  if (!isObject(value)) return false;
  const { object, transaction_id: id, entry, path, root } = value;
  return (
    object === 'ledger_proof' &&
    typeof id === 'string' &&
    typeof entry === 'string' &&
    Array.isArray(path) &&
    path.every(
      (step) =>
        isObject(step) && (step['side'] === 'left' || step['side'] === 'right') && isHex(step['hash'], 32),
    ) &&
    isRoot(root)
  );
}
