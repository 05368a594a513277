import { createHmac } from 'node:crypto';
import { createCacheMarks } from './cache-marks';

const secret = Buffer.alloc(32, 7);
const markOf = createCacheMarks([
  { version: 2, secret },
  { version: 1, secret: Buffer.alloc(32, 6) },
]);
const [ADA, EVE] = ['01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8058'];

describe('the mark of a request', () => {
  it('is the same within an account and conversation, and differs between them', () => {
    const marks = [markOf(ADA), markOf(EVE), markOf(ADA, 'one'), markOf(ADA, 'two'), markOf(EVE, 'one')];
    expect(new Set(marks).size).toBe(marks.length);
    expect([markOf(ADA), markOf(ADA, 'one')]).toEqual([marks[0], marks[2]]);
  });

  it('does not reveal the account, and no client can forge that of another account', () => {
    expect(markOf(ADA)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(markOf(EVE, ADA)).not.toBe(markOf(ADA));
    expect(markOf(EVE, markOf(ADA))).not.toBe(markOf(ADA));
  });

  it('is made under a key derived from the newest pepper, not under the pepper itself', () => {
    expect(markOf(ADA)).not.toBe(createHmac('sha256', secret).update(ADA).digest('base64url'));
    expect(markOf(ADA)).toBe(createCacheMarks([{ version: 2, secret }])(ADA));
    expect(() => createCacheMarks([])).toThrow(RangeError);
  });
});
