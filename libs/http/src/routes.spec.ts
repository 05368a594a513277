import { methodsFor, noRouteError } from './routes';

const routes = [
  { method: 'GET', path: '/v1/api-keys/:key_public_id' },
  { method: 'DELETE', path: '/v1/api-keys/:key_public_id' },
  { method: 'POST', path: '/v1/api-keys/:key_public_id/rotate' },
];

describe('routes', () => {
  it('know the methods of a path', () => {
    expect(methodsFor(routes, '/v1/api-keys/key_1')).toEqual(['GET', 'DELETE']);
    expect(methodsFor(routes, '/v1/api-keys/key_1/rotate')).toEqual(['POST']);
    expect(methodsFor(routes, '/v1/api-keys/')).toEqual([]);
    expect(methodsFor(routes, '/v1/api-keys/key_1/rotate/now')).toEqual([]);
  });

  it('that do not exist are 404, with another method 405', () => {
    expect(noRouteError([]).status).toBe(404);
    expect(noRouteError(['GET']).status).toBe(405);
    expect(noRouteError(['GET']).code).toBe('invalid_request_error');
  });
});
