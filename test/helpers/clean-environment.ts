const KEPT = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'TZ', 'GOPATH', 'GOBIN', 'GOCACHE', 'SYSTEMROOT'];

/**
 * The environment without settings of Farwatch, of vitest (it sets BASE_URL) or of the machine's owner, and
 * with `settings`.
 */
export function cleanEnvironment(settings: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => KEPT.includes(entry[0]) && entry[1] !== undefined,
  );
  return { ...Object.fromEntries(kept), ...settings };
}
