export type { Invoice, InvoiceHead, InvoiceLine } from './invoice';
export { issueInvoices, MonthNotClosedError, type IssuedInvoices } from './issue-invoices';
export { listOpenMonths } from './open-months';
export { findInvoiceOwner, listIssuedInvoices } from './operator-reads';
export { findInvoice, listInvoices } from './read-invoices';
