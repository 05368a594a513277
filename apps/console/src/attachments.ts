import type { AccountModel } from './api';
import type { Attachment } from './turns';
import { t } from '@farebox/ui/language';

const ACCEPTED = {
  image: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  file: ['application/pdf'],
} as const;

const MAX_BYTES = 10_000_000;

/** The media types that a model takes beside text, for a file input; empty if it takes none. */
export const acceptedBy = (modalities: AccountModel['input_modalities']): readonly string[] =>
  modalities.flatMap((modality): readonly string[] => (modality === 'text' ? [] : ACCEPTED[modality]));

/** The reason why a file cannot go with a message; undefined if it can. */
export function whyNot(
  { name, type, size }: Pick<File, 'name' | 'type' | 'size'>,
  accepted: readonly string[],
): string | undefined {
  if (!accepted.includes(type)) return t('The model does not take {name}.', { name });
  return size > MAX_BYTES ? t('{name} is larger than 10 MB.', { name }) : undefined;
}

export function readAttachment(file: File): Promise<Attachment> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, url: reader.result as string });
    reader.onerror = () => reject(new Error(t('{name} cannot be read.', { name: file.name })));
    reader.readAsDataURL(file);
  });
}
