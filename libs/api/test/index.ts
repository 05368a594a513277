export { ContractCheck, type Exchange } from './contract-check';
