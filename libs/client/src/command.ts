import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkProof, type ProofCheck, type ProofProblem } from './check-proof';
import { readProof, readRoots } from './read-proof';

const USAGE = `Usage: npx @farebox/client check-proof <file> [--key <public key>] [--roots <file>]...

Checks the proof of a transaction without the service. <file>: the proof, or the receipt of a request.
--key: the operator's public key, 64 hex digits, if you know it.
--roots: pages of the published roots that you kept: they must be one chain, and have the root of the proof.
Ends with 0 if the proof holds, with 1 if it does not, and with 2 if it cannot be read.`;

const SENTENCES: Record<ProofProblem, string> = {
  unknown_version: 'The entry is not of a version that this program knows.',
  other_transaction: 'The entry is not that of the transaction.',
  other_day: 'The entry is not of the day of the root.',
  not_in_root: 'The entry is not in the root.',
  not_signed: 'A root is not signed.',
  wrong_signature: 'A signature is not right.',
  other_key: 'The root was signed with another key.',
  signature_not_checked: 'The signature cannot be checked here: Ed25519 is missing.',
  not_published: 'The root is not among the given ones.',
  broken_chain: 'The given roots are not one chain.',
};

interface Result {
  out: string;
  exitCode: 0 | 1 | 2;
}

/** The whole command: what it prints, and its exit code. */
export async function runCommand(args: readonly string[]): Promise<Result> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { key: { type: 'string' }, roots: { type: 'string', multiple: true } },
      allowPositionals: true,
    });
    const [verb, file, ...rest] = positionals;
    if (verb !== 'check-proof' || file === undefined || rest.length > 0) return { out: USAGE, exitCode: 2 };
    const proof = readProof(readFileSync(file, 'utf8'));
    if (!proof) return { out: `${file} has no proof in it.`, exitCode: 2 };
    const roots = values.roots?.map((name) => readRoots(readFileSync(name, 'utf8')));
    if (roots?.includes(undefined)) return { out: 'A file of --roots has no roots in it.', exitCode: 2 };
    const check = await checkProof(proof, {
      ...(values.key !== undefined && { publicKey: values.key }),
      ...(roots && { roots: roots.flatMap((page) => page ?? []) }),
    });
    const signer = `root of ${proof.root.day}: ${proof.root.root}\npublic key: ${proof.root.public_key ?? 'none'}`;
    return { out: `${describe(check)}\n${signer}`, exitCode: check.problems.length === 0 ? 0 : 1 };
  } catch (error) {
    return { out: `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, exitCode: 2 };
  }
}

function describe({ entry, problems }: ProofCheck): string {
  const verdict =
    problems.length === 0 ? ['The proof holds.'] : problems.map((problem) => SENTENCES[problem]);
  if (entry) {
    verdict.push(
      `${entry.kind} of ${entry.amount} dollars from ${entry.fromBook} to ${entry.toBook}, at ${entry.createdAt}`,
      `balance after it: ${entry.balanceAfter} dollars`,
    );
  }
  return verdict.join('\n');
}
