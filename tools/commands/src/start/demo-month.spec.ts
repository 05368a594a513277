import { toPicoUsd } from '@farebox/money';
import { DEMO_DAYS, DEMO_KEYS, planDemoMonth, type DemoEvent } from './demo-month';

const NOW = new Date('2026-11-22T14:30:00Z');
const MODELS = [
  {
    id: 'small',
    priceVersionId: 's',
    inputPricePico: toPicoUsd(150_000n),
    outputPricePico: toPicoUsd(600_000n),
  },
  {
    id: 'large',
    priceVersionId: 'l',
    inputPricePico: toPicoUsd(2_500_000n),
    outputPricePico: toPicoUsd(10_000_000n),
  },
];
const plan = (): DemoEvent[] => planDemoMonth(MODELS, NOW);

describe('the demo month', () => {
  it('is the same each time, in the order of time, and ends some minutes ago', () => {
    const events = plan();
    expect(events).toEqual(plan());
    const times = events.map(({ at }) => at.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(NOW.getTime() - Number(times.at(-1))).toBeGreaterThanOrEqual(5 * 60_000);
    expect(NOW.getTime() - Number(times[0])).toBeLessThan((DEMO_DAYS + 1) * 86_400_000);
  });

  it('never costs more than the balance, whatever the prices are', () => {
    for (const factor of [1n, 1_000n]) {
      const models = MODELS.map((model) => ({
        ...model,
        inputPricePico: toPicoUsd(model.inputPricePico * factor),
        outputPricePico: toPicoUsd(model.outputPricePico * factor),
      }));
      let left = 0n;
      for (const event of planDemoMonth(models, NOW)) {
        if (event.kind === 'top_up') left += event.amountNano;
        if (event.kind === 'charge') left -= event.costNano;
        expect(left).toBeGreaterThanOrEqual(0n);
      }
    }
  });

  it('has some data for everything that a page shows', () => {
    const events = plan();
    const charges = events.filter((event) => event.kind === 'charge');
    const uncharged = events.filter((event) => event.kind === 'uncharged');
    expect(charges.length).toBeGreaterThan(800);
    expect(uncharged.length).toBeGreaterThan(10);
    expect(new Set(charges.map(({ key }) => key)).size).toBe(DEMO_KEYS.length);
    expect(new Set(charges.map(({ modelId }) => modelId))).toEqual(new Set(['small', 'large']));
    expect(new Set(charges.map(({ outcome }) => outcome))).toContain('client_gone');
    expect(new Set(uncharged.map(({ outcome }) => outcome))).toEqual(new Set(['refused', 'failed']));
    const onDays = (days: number[]) =>
      charges.filter(({ at }) => days.includes(at.getUTCDay())).length / days.length;
    expect(onDays([1, 2, 3, 4, 5])).toBeGreaterThan(3 * onDays([0, 6]));
  });

  it('has no requests of a key that is revoked by then', () => {
    for (const event of plan()) {
      if (event.kind === 'top_up') continue;
      const { revokedDaysAgo } = DEMO_KEYS[event.key] ?? {};
      if (revokedDaysAgo === undefined) continue;
      expect(NOW.getTime() - event.at.getTime()).toBeGreaterThanOrEqual(revokedDaysAgo * 86_400_000);
    }
  });

  it('is empty without models on sale', () => {
    expect(planDemoMonth([], NOW)).toEqual([]);
  });
});
