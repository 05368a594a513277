import { hoursToRead } from './list-usage';

const hours = [
  { hour: new Date(3), matching: 1, all: 100 },
  { hour: new Date(2), matching: 5, all: 200 },
  { hour: new Date(1), matching: 2, all: 900 },
];

describe('hoursToRead', () => {
  it.each([
    ['ends with the hour that has enough requests', { wanted: 6, budget: 10_000 }, 2],
    ['takes all if there is less', { wanted: 50, budget: 10_000 }, 3],
    ['ends with the hour that uses up the budget', { wanted: 50, budget: 300 }, 2],
    ['takes an hour that goes beyond the budget with those before it', { wanted: 50, budget: 150 }, 2],
    ['takes one hour whatever it costs', { wanted: 50, budget: 0 }, 1],
    ['takes one hour if that is enough', { wanted: 1, budget: 10_000 }, 1],
  ])('%s', (_name, want, count) => {
    expect(hoursToRead(hours, want)).toBe(count);
  });

  it('takes nothing from an empty list', () => {
    expect(hoursToRead([], { wanted: 1, budget: 1 })).toBe(0);
  });
});
