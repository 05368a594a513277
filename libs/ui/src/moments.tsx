import { toRelativeTime, toShortTime, toTime } from './format';

const toIso = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** `3 minutes ago`, with the exact time as a tooltip. */
export function When({ seconds }: { seconds: number }) {
  return (
    <time dateTime={toIso(seconds)} title={toTime(seconds)}>
      {toRelativeTime(seconds)}
    </time>
  );
}

/** The exact time, for looking things up. */
export function Moment({ seconds }: { seconds: number }) {
  return (
    <time dateTime={toIso(seconds)} title={toTime(seconds)} className="figures">
      {toShortTime(seconds)}
    </time>
  );
}
