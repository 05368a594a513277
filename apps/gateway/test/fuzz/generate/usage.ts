import fc from 'fast-check';
import { USAGE_SHAPES, type CountKind, type UsageWire } from '../../../src/upstream/usage/shapes';
import { countsOf, tell } from '../../usage/tell-usage';
import { number } from './odd-values';

/** Usage reports in the known shapes, with true or arbitrary counts. */

const truth = fc.record({
  plain: fc.integer({ min: 1, max: 60 }),
  cached: fc.constantFrom(0, 0, 10),
  written: fc.constantFrom(0, 0, 10),
  answered: fc.integer({ min: 1, max: 30 }),
  thought: fc.constantFrom(0, 0, 5),
});
const KINDS: readonly CountKind[] = ['prompt', 'completion', 'total', 'cached', 'written', 'reasoning'];
const odd = fc.record(
  Object.fromEntries(KINDS.map((kind) => [kind, number])) as Record<CountKind, typeof number>,
  { requiredKeys: [] },
);

interface Report {
  place: string;
  /** The response or event as JSON, limited to the report. */
  json: string;
}

function reportsOf(wire: UsageWire): fc.Arbitrary<Report> {
  const shapes = USAGE_SHAPES.filter((shape) => shape.wire === wire);
  return fc
    .tuple(
      fc.constantFrom(...shapes),
      fc.oneof({ arbitrary: truth, weight: 3 }, { arbitrary: odd, weight: 4 }),
    )
    .map(([shape, said]) => {
      const counts: Partial<Record<CountKind, unknown>> = 'plain' in said ? countsOf(shape, said) : said;
      const marked = Object.fromEntries(
        KINDS.filter((kind) => kind in counts).map((kind) => [kind, `@${kind}@`]),
      );
      const json = JSON.stringify(tell<string>(shape, marked)).replaceAll(
        /"@(\w+)@"/g,
        (_, kind: CountKind) => String(counts[kind]),
      );
      return { place: shape.place, json };
    });
}

/** The members of a response or event that contain a report. */
export const reportedBy = (
  wire: UsageWire,
  isHere: (place: string) => boolean = () => true,
): fc.Arbitrary<string> =>
  fc.oneof(
    {
      arbitrary: reportsOf(wire)
        .filter(({ place }) => isHere(place))
        .map(({ json }) => json.slice(1, -1)),
      weight: 10,
    },
    {
      arbitrary: fc.constantFrom('null', '[]', '1', '"x"', '{}').map((none) => `"usage":${none}`),
      weight: 1,
    },
  );

/** The value at the usual place. */
export const usageOf = (wire: UsageWire): fc.Arbitrary<string> =>
  reportsOf(wire)
    .filter(({ place }) => place === 'usage')
    .map(({ json }) => json.slice('{"usage":'.length, -1));
