import { valueFor } from './content';
import { sequenceFrom } from './text';

const make = (schema: unknown): unknown => valueFor(schema, sequenceFrom('schema'));

describe('valueFor', () => {
  it('fills each simple type within its bounds', () => {
    expect(
      make({
        type: 'object',
        properties: {
          city: { type: 'string', maxLength: 12 },
          degrees: { type: 'integer', minimum: -5, maximum: -3 },
          sunny: { type: 'boolean' },
          unit: { enum: ['celsius', 'fahrenheit'] },
          kind: { const: 'weather' },
          nothing: { type: 'null' },
          days: { type: 'array', minItems: 2, items: { type: ['number', 'null'] } },
          other: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
          place: { $ref: '#/$defs/place' },
        },
        $defs: { place: { type: 'object', properties: { name: { type: 'string' } } } },
      }),
    ).toEqual({
      city: expect.stringMatching(/^.{1,12}$/) as unknown,
      degrees: expect.any(Number) as unknown,
      sunny: expect.any(Boolean) as unknown,
      unit: expect.stringMatching(/^(celsius|fahrenheit)$/) as unknown,
      kind: 'weather',
      nothing: null,
      days: [expect.any(Number), expect.any(Number)],
      other: expect.any(Boolean) as unknown,
      place: { name: expect.any(String) as unknown },
    });
  });

  it('keeps whole numbers within their bounds', () => {
    const next = sequenceFrom('bounds');
    const made = Array.from({ length: 100 }, () =>
      valueFor({ type: 'integer', minimum: -5, maximum: -3 }, next),
    );
    expect(new Set(made)).toEqual(new Set([-5, -4, -3]));
    expect(valueFor({ type: 'integer', maximum: -200 }, next)).toBeLessThanOrEqual(-200);
  });

  it('ends with a recursive schema, however wide', () => {
    const node = {
      type: 'object',
      properties: { next: { $ref: '#' }, left: { $ref: '#' }, right: { $ref: '#' } },
    };
    expect(JSON.stringify(make(node)).length).toBeLessThan(100_000);
    expect(JSON.stringify(make({ $ref: '#' }))).toBeDefined();
  });

  it('does not let a schema request a huge value', () => {
    expect(make({ type: 'string', minLength: 1e9 })).toHaveLength(1_000);
    expect(make({ type: 'array', minItems: 1e9, items: {} })).toHaveLength(1_000);
  });
});
