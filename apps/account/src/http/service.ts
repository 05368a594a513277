import type { Brand } from '@farebox/config';
import type { ServiceRecord } from '@farebox/contracts';
import type { PublicDocument } from '@farebox/http';
import { serviceOperations } from '@farebox/openapi';
import { version } from '../../package.json';

/** `GET /v1/service`: the same for everybody, so a cache may keep it for as long as its ETag is this one. */
export function serviceDocument(brand: Brand, publicUrl: string): PublicDocument {
  const record: ServiceRecord = {
    object: 'service',
    name: brand.name,
    logo_url: brand.logoUrl ?? null,
    accent_color: brand.color ?? null,
    support_email: brand.supportEmail ?? null,
    base_url: publicUrl,
    version,
  };
  return {
    path: serviceOperations.getService.path,
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify(record),
  };
}
