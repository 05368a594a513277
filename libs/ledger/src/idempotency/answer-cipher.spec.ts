import { AnswerUnreadableError, createAnswerCipher } from './answer-cipher';

const HOLD = '019aa000-0000-7000-8000-000000000001';
const OTHER_HOLD = '019aa000-0000-7000-8000-000000000002';
const first = { version: 1, secret: Buffer.alloc(32, 1) };
const second = { version: 2, secret: Buffer.alloc(32, 2) };
const answer = Buffer.from('{"content":"a zebra crossing at noon ☀"}');

describe('a kept answer', () => {
  const cipher = createAnswerCipher([first]);

  it('comes back byte for byte', () => {
    for (const bytes of [answer, Buffer.alloc(0), Buffer.alloc(100_000, 0xff)])
      expect(cipher.decrypt(cipher.encrypt(bytes, HOLD), HOLD).equals(bytes)).toBe(true);
  });

  it('reveals nothing of its text, and differs each time', () => {
    const [once, again] = [cipher.encrypt(answer, HOLD), cipher.encrypt(answer, HOLD)];
    expect(once.includes('zebra')).toBe(false);
    expect(once.equals(again)).toBe(false);
    expect(once).toHaveLength(1 + 12 + 16 + answer.length);
  });

  it('is refused under another key of the same version', () => {
    const stranger = createAnswerCipher([{ version: 1, secret: Buffer.alloc(32, 9) }]);
    expect(() => stranger.decrypt(cipher.encrypt(answer, HOLD), HOLD)).toThrow(AnswerUnreadableError);
  });

  it('is refused under another hold', () => {
    expect(() => cipher.decrypt(cipher.encrypt(answer, HOLD), OTHER_HOLD)).toThrow(AnswerUnreadableError);
  });

  it('is refused if any one byte was altered', () => {
    const kept = cipher.encrypt(answer, HOLD);
    for (let at = 0; at < kept.length; at++) {
      const altered = Buffer.from(kept);
      altered[at] = (altered[at] ?? 0) ^ 0x01;
      expect(() => cipher.decrypt(altered, HOLD)).toThrow(AnswerUnreadableError);
    }
  });

  it('is refused if it was cut', () => {
    const kept = cipher.encrypt(answer, HOLD);
    for (let length = 0; length < kept.length; length++)
      expect(() => cipher.decrypt(kept.subarray(0, length), HOLD)).toThrow(AnswerUnreadableError);
  });
});

describe('keys of several versions', () => {
  it('encrypt with the highest, and decrypt with each', () => {
    const both = createAnswerCipher([first, second]);
    const older = createAnswerCipher([first]).encrypt(answer, HOLD);
    const newer = both.encrypt(answer, HOLD);
    expect([older[0], newer[0]]).toEqual([1, 2]);
    expect(both.decrypt(older, HOLD)).toEqual(answer);
    expect(both.decrypt(newer, HOLD)).toEqual(answer);
  });

  it('refuse an answer whose key was removed', () => {
    const older = createAnswerCipher([first]).encrypt(answer, HOLD);
    expect(() => createAnswerCipher([second]).decrypt(older, HOLD)).toThrow(/no key of version 1/);
  });

  it('must include at least one', () => {
    expect(() => createAnswerCipher([])).toThrow('there is no key');
  });
});
