// Exports of pdfkit 0.20 that @types/pdfkit lacks.

declare module 'pdfkit/standard-fonts/*' {
  const metrics: { name: string };
  export default metrics;
}

declare module 'pdfkit/output' {
  export function toBytes(document: PDFKit.PDFDocument): Promise<Uint8Array>;
}
