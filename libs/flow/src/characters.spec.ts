import { splitsCharacter } from './characters';

it('a cut splits a character only between a high and a low half', () => {
  const text = 'a\ud83d😀\ude00\ude00b';
  const cuts = Array.from({ length: text.length + 1 }, (_, at) => at);
  expect(cuts.filter((at) => splitsCharacter(text, at))).toEqual([3]);
});
