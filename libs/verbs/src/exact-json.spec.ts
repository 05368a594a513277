import { parseExactJson } from './exact-json';

it('numbers become texts as they were written, and nothing else changes', () => {
  const text = String.raw`{"a": 1.5e-06, "b": [0.30000000000000004, -2E+3, 9007199254740993], "5": "6 \"7\" \\", "c": null, "d": true}`;
  expect(parseExactJson(text)).toEqual({
    ...{ a: '1.5e-06', b: ['0.30000000000000004', '-2E+3', '9007199254740993'] },
    ...{ 5: '6 "7" \\', c: null, d: true },
  });
});

it('refuses what is not JSON', () => {
  expect(() => parseExactJson('{"a": 1')).toThrow(SyntaxError);
});
