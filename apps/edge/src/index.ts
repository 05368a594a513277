export { startEdge, type Edge } from './edge-server';
