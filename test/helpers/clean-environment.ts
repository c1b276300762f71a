const INHERITED = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'TZ', 'GOPATH', 'GOBIN', 'GOCACHE', 'SYSTEMROOT'];

/**
 * The environment with `settings`, without variables of Farwatch, vitest (which sets BASE_URL) or the machine's owner.
 * By default, domain lookups are off.
 */
export function cleanEnvironment(settings: Record<string, string> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => INHERITED.includes(entry[0]) && entry[1] !== undefined,
  );
  return { DOMAIN_LOOKUPS: 'false', ...Object.fromEntries(inherited), ...settings };
}
