import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentedProof } from '../test/documented-proof';
import { checkProof, checkRoots, type LedgerRoot } from './check-proof';
import { runCommand } from './command';
import { readProof, readRoots } from './read-proof';

const proof = documentedProof();
const other = (hex: string): string => `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`;

describe('a proof', () => {
  it('holds as it is documented, and shows its entry', async () => {
    expect(await checkProof(proof)).toEqual({
      problems: [],
      entry: {
        id: '019aa00c-8e3f-71ac-9d7c-6ca1ef22f3ae',
        accountId: '019aa00c-748d-7c51-615b-49dd49efe2f3',
        ...{ seq: '2', kind: 'charge', fromBook: 'customer', toBook: 'revenue' },
        ...{ amount: '0.000010500', balanceAfter: '24.999989500', refundedEntryId: null },
        createdAt: '2026-11-21T12:01:00.184301Z',
      },
    });
  });

  it.each([
    ['another amount', { entry: proof.entry.replace(' 10500 ', ' 10501 ') }, ['not_in_root']],
    ['another version', { entry: proof.entry.replace('-1 ', '-2 ') }, ['unknown_version', 'not_in_root']],
    [
      'another transaction',
      { transaction_id: proof.transaction_id.replace('e', 'f') },
      ['other_transaction'],
    ],
    ['a shorter path', { path: proof.path.slice(1) }, ['not_in_root']],
    ['steps in another order', { path: proof.path.toReversed() }, ['not_in_root']],
    [
      'another root',
      { root: { ...proof.root, root: other(proof.root.root) } },
      ['not_in_root', 'wrong_signature'],
    ],
    ['another day', { root: { ...proof.root, day: '2026-11-22' } }, ['other_day', 'wrong_signature']],
    [
      'another day before',
      { root: { ...proof.root, previous: other(proof.root.previous) } },
      ['wrong_signature'],
    ],
    ['no signature', { root: { ...proof.root, signature: null } }, ['not_signed']],
  ])('does not hold with %s', async (_, change, problems) => {
    expect((await checkProof({ ...proof, ...change })).problems).toEqual(problems);
  });

  it('does not hold with another key than the expected one', async () => {
    const publicKey = proof.root.public_key ?? '';
    expect((await checkProof(proof, { publicKey: publicKey.toUpperCase() })).problems).toEqual([]);
    expect((await checkProof(proof, { publicKey: other(publicKey) })).problems).toEqual(['other_key']);
  });

  it('does not hold if its root is not among the published ones', async () => {
    expect((await checkProof(proof, { roots: [proof.root] })).problems).toEqual([]);
    const roots = [{ ...proof.root, root: other(proof.root.root) }];
    expect((await checkProof(proof, { roots })).problems).toEqual(['not_published', 'wrong_signature']);
  });
});

const key = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 9)]),
  ...({ format: 'der', type: 'pkcs8' } as const),
});
const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(12).toString('hex');
const textOf = ({ day, root, previous }: Pick<LedgerRoot, 'day' | 'root' | 'previous'>): string =>
  `farebox ledger root 1\nday ${day}\nroot ${root}\nprevious ${previous}\n`;

/** The root of a day after another one. */
function rootAfter(before: LedgerRoot | undefined, day: string): LedgerRoot {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const previous = before ? sha256(textOf(before)) : '0'.repeat(64);
  const head = { day, root: sha256(day), previous };
  const signature = sign(null, Buffer.from(textOf(head)), key).toString('hex');
  return { object: 'ledger_root', ...head, public_key: publicKey, signature, closed_at: 0 };
}

it('roots are one chain in any order, until one of them was replaced', async () => {
  const first = rootAfter(undefined, '2026-11-20');
  const second = rootAfter(first, '2026-11-21');
  const third = rootAfter(second, '2026-11-22');
  expect(await checkRoots([third, first, second])).toEqual([]);
  const replaced = rootAfter(rootAfter(undefined, '2026-11-19'), '2026-11-21');
  expect(await checkRoots([third, first, replaced])).toEqual(['broken_chain']);
  expect(await checkRoots([third, first])).toEqual(['broken_chain']);
});

it('a proof is read from a file of its own or of a receipt, and nothing else', () => {
  expect(readProof(JSON.stringify(proof))).toEqual(proof);
  expect(readProof(JSON.stringify({ object: 'request', proof }))).toEqual(proof);
  for (const text of [
    '',
    '{}',
    'null',
    '[]',
    JSON.stringify({ ...proof, path: [{}] }),
    JSON.stringify({ object: 'request' }),
  ])
    expect(readProof(text)).toBeUndefined();
  expect(readRoots(JSON.stringify({ object: 'list', data: [proof.root] }))).toEqual([proof.root]);
  expect(readRoots(JSON.stringify({ object: 'list', data: [{}] }))).toBeUndefined();
});

describe('the command', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'farebox-proof-'));
    writeFileSync(path.join(folder, 'proof.json'), JSON.stringify(proof));
    writeFileSync(path.join(folder, 'changed.json'), JSON.stringify({ ...proof, path: [] }));
    writeFileSync(path.join(folder, 'roots.json'), JSON.stringify({ object: 'list', data: [proof.root] }));
    writeFileSync(path.join(folder, 'other.json'), '{}');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const run = (...args: string[]) =>
    runCommand(args.map((arg) => (arg.endsWith('.json') ? path.join(folder, arg) : arg)));

  it.each([
    [0, 'The proof holds.', ['proof.json', '--roots', 'roots.json', '--key', proof.root.public_key ?? '']],
    [1, 'The entry is not in the root.', ['changed.json']],
    [1, 'The root was signed with another key.', ['proof.json', '--key', '0'.repeat(64)]],
    [2, 'has no proof in it', ['other.json']],
    [2, 'A file of --roots has no roots in it.', ['proof.json', '--roots', 'other.json']],
    [2, 'no such file', ['missing.json']],
    [2, 'Usage:', ['proof.json', '--nothing']],
  ])('ends with %i and says: %s', async (exitCode, sentence, args) => {
    const result = await run('check-proof', ...args);
    expect(result).toMatchObject({ exitCode, out: expect.stringContaining(sentence) as string });
  });

  it('shows what was charged, and how to use it', async () => {
    expect((await run('check-proof', 'proof.json')).out).toContain(
      'charge of 0.000010500 dollars from customer to revenue',
    );
    expect(await run()).toMatchObject({ exitCode: 2, out: expect.stringContaining('Usage:') as string });
  });
});
