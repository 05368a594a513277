import { DAY_MS, HOUR_MS } from '@farebox/flow';
import fc from 'fast-check';
import { segmentsOf, type UsageSegment } from './segments';

const at = (text: string): Date => new Date(`2026-11-${text}:00:00Z`);
const range = { from: at('03T10'), to: at('07T05') };

const textOf = (segments: readonly UsageSegment[]): string[] =>
  segments.map(
    ({ source, from, to }) => `${source} ${from.toISOString().slice(8, 13)} ${to.toISOString().slice(8, 13)}`,
  );

describe('segmentsOf', () => {
  it('reads whole days as such, the current one as far as it is summed, and the hours around them', () => {
    expect(textOf(segmentsOf(range, true))).toEqual([
      'summed_hours 03T10 04T00',
      'summed_days 04T00 07T00',
      'open_day 04T00 07T05',
      'hours_of_last_day 07T00 07T05',
      'counts 03T10 07T05',
    ]);
  });

  it('reads no hours around whole days', () => {
    expect(textOf(segmentsOf({ from: at('03T00'), to: at('07T00') }, true))).toEqual([
      'summed_days 03T00 07T00',
      'open_day 03T00 07T00',
      'counts 03T00 07T00',
    ]);
  });

  it('reads hours if days have no sums', () => {
    expect(textOf(segmentsOf(range, false))).toEqual(['summed_hours 03T10 07T05', 'counts 03T10 07T05']);
  });

  it('has each hour of any range once, however far the sums reach', () => {
    const hour = fc.integer({ min: 490_000, max: 490_200 });
    fc.assert(
      fc.property(hour, hour, hour, fc.boolean(), (from, to, summedBefore, hasDays) => {
        const segments = segmentsOf({ from: dateOf(from), to: dateOf(to) }, hasDays);
        const read = segments.flatMap((segment) => hoursReadOf(segment, summedBefore));
        expect(read.sort((a, b) => a - b)).toEqual(hoursBetween(from, to));
      }),
    );
  });
});

const DAY_HOURS = DAY_MS / HOUR_MS;
const dateOf = (hour: number): Date => new Date(hour * HOUR_MS);
const hoursBetween = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

/** The hours read from a segment, as numbers, if all hours before `summedBefore` are summed. */
function hoursReadOf({ source, ...segment }: UsageSegment, summedBefore: number): number[] {
  const [from, to] = [segment.from.getTime() / HOUR_MS, segment.to.getTime() / HOUR_MS];
  const openDay = Math.floor(summedBefore / DAY_HOURS) * DAY_HOURS;
  const isIn = (start: number): boolean => start >= from && start < to;
  switch (source) {
    case 'summed_hours':
      return hoursBetween(from, Math.min(to, summedBefore));
    case 'summed_days': {
      const days = hoursBetween(0, openDay / DAY_HOURS).map((day) => day * DAY_HOURS);
      return days.filter(isIn).flatMap((day) => hoursBetween(day, day + DAY_HOURS));
    }
    case 'open_day':
      return isIn(openDay) && summedBefore <= to ? hoursBetween(openDay, summedBefore) : [];
    case 'hours_of_last_day':
      return summedBefore > to ? hoursBetween(from, to) : [];
    case 'counts':
      return hoursBetween(Math.max(from, summedBefore), to);
  }
}
