export { refuseAmbiguousHeaders } from './ambiguous-headers';
export { errorMiddleware, notFoundMiddleware, type ErrorLog } from './express';
export { healthRoutes, serveHealth, type Readiness } from './health';
export {
  closeGracefully,
  createHttpServer,
  DEFAULT_SERVER_LIMITS,
  listen,
  type ServerLimits,
} from './http-server';
export { parseJson, readJsonBody, type JsonBodyLimits } from './read-json-body';
export {
  chooseRequestId,
  createRequestContext,
  requestIdMiddleware,
  type RequestContext,
} from './request-context';
export { retryHeaders, sendError, sendJson, sendJsonText } from './respond';
export { methodsFor, noRouteError, type Route } from './routes';
export { SECURITY_HEADERS } from './security-headers';
