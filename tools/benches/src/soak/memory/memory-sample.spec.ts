import { kibPerStream } from './memory-sample';

it('a stream takes what there is more with it than at rest', () => {
  expect(kibPerStream(100, 200, 1_024)).toBe(100);
  expect(kibPerStream(100, 200, 2_048)).toBe(50);
});
