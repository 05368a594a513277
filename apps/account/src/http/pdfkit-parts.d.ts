// What pdfkit 0.20 exports beyond what @types/pdfkit knows.

declare module 'pdfkit/standard-fonts/*' {
  const metrics: { name: string };
  export default metrics;
}

declare module 'pdfkit/output' {
  export function toBytes(document: PDFKit.PDFDocument): Promise<Uint8Array>;
}
