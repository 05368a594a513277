import { scriptUpstream } from '../../test/fake-upstream';
import { isRequestsOwnFailure, nextTarget, type FailedCall, type RouteTarget } from './failed-calls';
import { UpstreamFailure, type UpstreamFailureKind } from './failure';

function targetOf(mayRepeat = true): RouteTarget {
  const client = { ...scriptUpstream(), mayRepeat: () => mayRepeat };
  return { client, route: { upstreamId: 'u', upstreamModel: 'm', weight: 1, priority: 0 } };
}

const [first, second, third] = [targetOf(), targetOf(), targetOf()];

const failed = (target: RouteTarget, failure: UpstreamFailure | number, isUp = true): FailedCall => ({
  target,
  failure: typeof failure === 'number' ? new UpstreamFailure('unavailable', { status: failure }) : failure,
  isUp: () => Promise.resolve(isUp),
});
const unreachable = new UpstreamFailure('unavailable', { isUnreachable: true });

describe('the next route', () => {
  it('is the first one not asked yet', () => {
    expect(nextTarget([first, second], [])).toBe(first);
    expect(nextTarget([first, second], [failed(first, 500)])).toBe(second);
    expect(nextTarget([first, second], [failed(first, 429)])).toBe(second);
    expect(nextTarget([], [])).toBeUndefined();
  });

  it.each<UpstreamFailureKind>(['refused_request', 'timeout'])('is none after %s', (kind) => {
    expect(nextTarget([first, second], [failed(first, new UpstreamFailure(kind))])).toBeUndefined();
  });

  it('is the last one again if that accepted the request and failed', () => {
    expect(nextTarget([first], [failed(first, 500)])).toBe(first);
    expect(nextTarget([first, second], [failed(first, unreachable), failed(second, 500)])).toBe(second);
    expect(nextTarget([first, second], [failed(first, 500), failed(second, 501)])).toBe(second);
  });

  it('is none if that failed in the same way before, or was asked again already', () => {
    expect(nextTarget([first, second], [failed(first, 500), failed(second, 500)])).toBeUndefined();
    expect(nextTarget([first], [failed(first, 500), failed(first, 500)])).toBeUndefined();
    expect(nextTarget([first], [failed(first, 500), failed(first, 501)])).toBeUndefined();
  });

  it.each([
    ['overloaded', 503],
    ['behind a gateway that does not reach it', 502],
    ['out of quota', 429],
    ['not reached', unreachable],
    ['no server of chat completions', new UpstreamFailure('garbage', { status: 200 })],
    ['left alone', new UpstreamFailure('circuit_open')],
  ])('is not the last one again if that is %s', (_how, failure) => {
    expect(nextTarget([first], [failed(first, failure)])).toBeUndefined();
  });

  it('is not the last one again if that fails often', () => {
    const ailing = targetOf(false);
    expect(nextTarget([ailing], [failed(ailing, 500)])).toBeUndefined();
  });
});

describe('a failure', () => {
  it('belongs to the request if it failed twice in the same way while others are answered', async () => {
    expect(await isRequestsOwnFailure([failed(first, 500), failed(first, 500)])).toBe(true);
    expect(await isRequestsOwnFailure([failed(first, 500), failed(second, 503), failed(third, 500)])).toBe(
      true,
    );
  });

  it.each([
    ['it failed once', [failed(first, 500)]],
    ['it failed in two ways', [failed(first, 500), failed(first, 501)]],
    ['nobody was reached', [failed(first, unreachable), failed(second, unreachable)]],
    ['they were overloaded', [failed(first, 503), failed(second, 503)]],
    ['the server answers nobody', [failed(first, 500, false), failed(first, 500, true)]],
    ['one of two servers answers nobody', [failed(first, 500), failed(second, 500, false)]],
    ['nobody was asked', []],
  ])('does not if %s', async (_why, calls) => {
    expect(await isRequestsOwnFailure(calls)).toBe(false);
  });
});
