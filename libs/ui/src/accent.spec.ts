import { contrast, readHex, toShades } from './theme';

it.each(['#ffd400', '#0000ff', '#ffffff', '#00e5ff', '#3f51c2', '#000000', '#0a7d3b'])(
  'derives from %s shades that can be read on the page, light and dark, and on which white can be read',
  (hex) => {
    const shades = toShades(hex);
    expect(shades).toHaveLength(10);
    for (const shade of shades.slice(6))
      for (const ground of ['#ffffff', '#f8f9fb'])
        expect(contrast(readHex(shade), readHex(ground))).toBeGreaterThanOrEqual(4.5);
    // The library's shade of links in dark colours.
    for (const ground of ['#111316', '#16181c', '#24272d'])
      expect(contrast(readHex(shades[4]), readHex(ground))).toBeGreaterThanOrEqual(4.5);
    for (const shade of shades) expect(shade).toMatch(/^#[0-9a-f]{6}$/);
  },
);

it('keeps a readable colour as it is', () => {
  expect(toShades('#3f51c2')[7]).toBe('#3f51c2');
});
