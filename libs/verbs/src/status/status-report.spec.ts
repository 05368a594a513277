import { describeAge } from './status-report';

it.each([
  [-3, '0 s'],
  [0, '0 s'],
  [59.9, '59 s'],
  [60, '1 min 0 s'],
  [3_599, '59 min 59 s'],
  [7_500, '2 h 5 min'],
  [90_061, '1 d 1 h'],
])('%s seconds are %s', (seconds, text) => {
  expect(describeAge(seconds)).toBe(text);
});
