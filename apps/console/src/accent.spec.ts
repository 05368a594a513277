import { contrast, readHex, toShades } from './theme';

it.each(['#ffd400', '#ffffff', '#00e5ff', '#3f51c2', '#000000', '#0a7d3b'])(
  'derives from %s shades on which white is readable, and which are readable on white',
  (hex) => {
    const shades = toShades(hex);
    expect(shades).toHaveLength(10);
    for (const shade of shades.slice(6))
      expect(contrast(readHex(shade), [255, 255, 255])).toBeGreaterThanOrEqual(4.45);
    for (const shade of shades) expect(shade).toMatch(/^#[0-9a-f]{6}$/);
  },
);

it('keeps a readable colour as it is', () => {
  expect(toShades('#3f51c2')[7]).toBe('#3f51c2');
});
