/** What a registry publishes of a domain. */
export interface Registration {
  /** Unix ms; null when the registry does not say. */
  expires_at: number | null;
  registrar: string | null;
}

/** `null`: the domain is not registered. `undefined`: the answer could not be read. */
export type RegistrationResult = Registration | null | undefined;

const MAX_NAME_LENGTH = 200;

/** A name that strangers wrote, in one line of at most 200 characters; null when nothing is left of it. */
export function sanitizeName(text: string): string | null {
  const name = text.slice(0, MAX_NAME_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\uFFFD]+/gu, ' ').trim();
  return name === '' ? null : name;
}
