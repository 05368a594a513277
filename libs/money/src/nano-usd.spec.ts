import fc from 'fast-check';
import {
  fromDecimalUsd,
  fromUsdPerMillionTokens,
  priceOfTokens,
  roundUpToNano,
  toCentsUsd,
  toWholeCents,
  toDecimalUsd,
  toNanoUsd,
  toUsdPerMillionTokens,
} from './nano-usd';

describe('amounts', () => {
  it.each([
    ['25', 25_000_000_000n],
    ['25.00', 25_000_000_000n],
    ['0.000010500', 10_500n],
    ['-0.5', -500_000_000n],
  ])('reads %s', (text, amountNano) => {
    expect(fromDecimalUsd(text)).toBe(amountNano);
  });

  it.each(['', '.', '1.', '.5', '1e3', '1,00', ' 1', '+1', '0.0000000001', '99999999999', 'NaN', '0x10'])(
    'refuses "%s"',
    (text) => {
      expect(() => fromDecimalUsd(text)).toThrow(RangeError);
    },
  );

  it('writes nine decimal places', () => {
    expect(toDecimalUsd(toNanoUsd(10_500n))).toBe('0.000010500');
    expect(toDecimalUsd(toNanoUsd(-1n))).toBe('-0.000000001');
    expect(toDecimalUsd(toNanoUsd(25_000_000_000n))).toBe('25.000000000');
  });

  it.each([
    [0n, '0.00'],
    [4_999_999n, '0.00'],
    [5_000_000n, '0.01'],
    [-4_999_999n, '0.00'],
    [-5_000_000n, '-0.01'],
    [12_344_999_999n, '12.34'],
    [12_345_000_000n, '12.35'],
    [-12_345_000_000n, '-12.35'],
    [999_995_000_000n, '1000.00'],
  ])('rounds %d to cents half up, once', (amount, text) => {
    expect(toCentsUsd(toNanoUsd(amount))).toBe(text);
  });

  it('is at most half a cent from its cents', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), (amount) => {
        const cents = fromDecimalUsd(toCentsUsd(toNanoUsd(amount)));
        const away = cents - amount;
        expect(away <= 5_000_000n && away >= -5_000_000n).toBe(true);
        expect(toCentsUsd(toNanoUsd(-amount)).replace('-', '')).toBe(
          toCentsUsd(toNanoUsd(amount)).replace('-', ''),
        );
      }),
    );
  });

  it('survives a round trip', () => {
    const widest = 9_999_999_999_999_999n;
    fc.assert(
      fc.property(fc.bigInt(-widest, widest), (amount) => {
        expect(fromDecimalUsd(toDecimalUsd(toNanoUsd(amount)))).toBe(amount);
      }),
    );
  });

  it('refuses amounts that do not fit in 64 bits', () => {
    expect(() => toNanoUsd(2n ** 63n)).toThrow(RangeError);
  });
});

it('whole cents are exact, and a rest is dropped', () => {
  expect(toWholeCents(fromDecimalUsd('25.00'))).toBe(2_500);
  expect(toWholeCents(fromDecimalUsd('0.019999999'))).toBe(1);
});

describe('prices', () => {
  it('reads and writes dollars per million tokens', () => {
    const price = fromUsdPerMillionTokens('0.15');
    expect(price).toBe(150_000n);
    expect(toUsdPerMillionTokens(price)).toBe('0.15');
    expect(toUsdPerMillionTokens(fromUsdPerMillionTokens('10'))).toBe('10');
    expect(toUsdPerMillionTokens(fromUsdPerMillionTokens('0'))).toBe('0');
  });

  it('rounds up once, at the end', () => {
    const price = fromUsdPerMillionTokens('0.0001');
    expect(roundUpToNano(priceOfTokens(1, price))).toBe(1n);
    expect(roundUpToNano(priceOfTokens(5, price) + priceOfTokens(5, price))).toBe(1n);
    expect(roundUpToNano(priceOfTokens(11, price))).toBe(2n);
    expect(roundUpToNano(0n)).toBe(0n);
  });
});
