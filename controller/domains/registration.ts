/** The registry's published facts about a domain. */
export interface Registration {
  /** Unix ms; null if the registry does not publish it. */
  expires_at: number | null;
  registrar: string | null;
}

/** `null`: the domain is not registered. `undefined`: the response could not be parsed. */
export type RegistrationResult = Registration | null | undefined;

const MAX_NAME_LENGTH = 200;

/** Reduces untrusted text to one line of at most 200 characters; null if nothing remains. */
export function sanitizeName(text: string): string | null {
  const name = text.slice(0, MAX_NAME_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\uFFFD]+/gu, ' ').trim();
  return name === '' ? null : name;
}
