import {
  createSignInCode,
  createVoucherCode,
  fromTypedCode,
  fromTypedVoucherCode,
  toShownCode,
} from './typed-codes';

describe.each([
  ['a code for signing in', 40, createSignInCode, fromTypedCode],
  ['the code of a voucher', 100, createVoucherCode, fromTypedVoucherCode],
] as const)('%s', (_, bits, create, fromTyped) => {
  it('has enough bits, in characters that are not mistaken', () => {
    const codes = Array.from({ length: 500 }, create);
    expect(new Set(codes).size).toBe(codes.length);
    expect(new Set(codes.join('')).size).toBe(32);
    for (const code of codes) expect(code).toMatch(new RegExp(`^[0-9A-HJKMNP-TV-Z]{${String(bits / 5)}}$`));
  });

  it('is understood as people type it', () => {
    const code = create();
    for (const typed of [code, toShownCode(code), toShownCode(code).toLowerCase(), ` ${code} `])
      expect(fromTyped(typed)).toBe(code);
  });

  it('is no code with a character less or more', () => {
    expect(fromTyped(create().slice(1))).toBeUndefined();
    expect(fromTyped(`${create()}A`)).toBeUndefined();
  });
});

it('is shown in groups of four', () => {
  expect(toShownCode('K7QM2XRT')).toBe('K7QM-2XRT');
  expect(toShownCode('K7QM2XRT9ABCDEFGHJKM')).toBe('K7QM-2XRT-9ABC-DEFG-HJKM');
});

it('letters that look like digits are read as those', () => {
  expect(fromTypedCode('oil2-2lIO')).toBe('01122110');
});

it.each(['', 'K7QM-2XRU', 'K7QM_2XRT', 'lt-0123456'])('%j is no code', (typed) => {
  expect(fromTypedCode(typed)).toBeUndefined();
});
