import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { GROUP_BLOCKS } from './blocks';
import { hashLeaf, hashTree, pathOf } from './merkle';

/** The test vectors of Certificate Transparency: leaves in hex, and the root of the first n of them. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const leaves = LEAVES.map((hex) => hashLeaf(Buffer.from(hex, 'hex').toString('latin1')));

const hashes = (count: number): Buffer[] => Array.from({ length: count }, (_, i) => hashLeaf(String(i)));

function climb(from: Buffer, path: ReturnType<typeof pathOf>): Buffer {
  return path.reduce((at, { side, hash }) => {
    const pair = side === 'left' ? [hash, at] : [at, hash];
    return createHash('sha256')
      .update(Buffer.concat([Buffer.of(1), ...pair]))
      .digest();
  }, from);
}

describe('the Merkle tree', () => {
  it.each(ROOTS.map((root, count) => [count, root]))(
    'over %i leaves has the root of RFC 6962',
    (count, root) => {
      expect(hashTree(leaves.slice(0, count)).toString('hex')).toBe(root);
    },
  );

  it('has a path from every leaf to its root', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), (count, seed) => {
        const all = hashes(count);
        const index = seed % count;
        expect(climb(all[index] ?? Buffer.alloc(0), pathOf(all, index))).toEqual(hashTree(all));
      }),
    );
  });

  it('is the same tree if it is made of groups', () => {
    for (const count of [1, GROUP_BLOCKS - 1, GROUP_BLOCKS, GROUP_BLOCKS + 1, 3 * GROUP_BLOCKS + 7]) {
      const all = hashes(count);
      const groups: Buffer[] = [];
      for (let i = 0; i < count; i += GROUP_BLOCKS) groups.push(hashTree(all.slice(i, i + GROUP_BLOCKS)));
      expect(hashTree(groups)).toEqual(hashTree(all));
    }
  });
});
