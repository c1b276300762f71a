/** Why `target` cannot be the address of an HTTP check; null when it can. */
export function httpTargetFault(target: string): string | null {
  // Characters that the URL parser would silently drop or turn into others.
  if (/[\p{Cc}\\\u2028\u2029]/u.test(target)) return 'Target must not contain control characters or backslashes';
  if (!URL.canParse(target)) return 'Target must be an absolute URL';
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Target must be an http or https URL';
  if (!/^https?:\/\//i.test(target)) return 'Target must be an absolute URL';
  if (url.username !== '' || url.password !== '') return 'Target must not contain a user name or password';
  return null;
}
