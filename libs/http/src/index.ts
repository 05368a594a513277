export { refuseAmbiguousHeaders } from './ambiguous-headers';
export { answerFailure, type ErrorLog } from './answer-failure';
export { errorMiddleware, notFoundMiddleware } from './express';
export { healthRoutes, type Readiness } from './health';
export {
  closeGracefully,
  createHttpServer,
  DEFAULT_SERVER_LIMITS,
  listen,
  type ServerLimits,
} from './http-server';
export { readJsonBody, readJsonBodyWithBytes, type JsonBody, type JsonBodyLimits } from './read-json-body';
export { createRequestContext, requestIdMiddleware, type RequestContext } from './request-context';
export { sendError, sendJson, sendJsonText } from './respond';
export type { Route } from './routes';
export { SECURITY_HEADERS } from './security-headers';
