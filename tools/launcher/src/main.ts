export { start } from './start/start';
