import { createSignInCode, fromTypedCode, toShownCode } from './sign-in-code';

it('has 40 bits in characters that are not mistaken', () => {
  const codes = Array.from({ length: 500 }, createSignInCode);
  expect(new Set(codes).size).toBe(codes.length);
  expect(new Set(codes.join('')).size).toBe(32);
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
});

it('is understood as people type it', () => {
  const code = createSignInCode();
  for (const typed of [code, toShownCode(code), toShownCode(code).toLowerCase(), ` ${code} `])
    expect(fromTypedCode(typed)).toBe(code);
  expect(fromTypedCode('oil2-2lIO')).toBe('01122110');
});

it.each(['', 'K7QM-2XR', 'K7QM-2XRTT', 'K7QM-2XRU', 'K7QM_2XRT', 'lt-0123456'])('is not %j', (typed) => {
  expect(fromTypedCode(typed)).toBeUndefined();
});
