import { useQuery } from '@tanstack/react-query';
import { serviceQuery } from '../api';

/** The operator's logo, or the first letter of their name in their colour. */
export function BrandMark({ height }: { height: number }) {
  const service = useQuery(serviceQuery).data;
  if (!service) return <span style={{ height, width: height }} />;
  if (service.logo_url !== null) return <img src={service.logo_url} alt="" height={height} />;
  return (
    <span className="brand-mark" style={{ height, width: height }} aria-hidden>
      {String.fromCodePoint(service.name.codePointAt(0) ?? 0x20)}
    </span>
  );
}
