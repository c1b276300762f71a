/** Completes what the user typed to a URL: `example.com` gets the usual scheme. */
export function fullAddress(typed: string): string {
  const text = typed.trim();
  return text === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

/** Suggests a monitor's name from its URL: the host, and the path if there is one. */
export function nameOfAddress(address: string): string {
  const rest = address.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').replace(/[?#].*$/, '').replace(/\/+$/, '');
  return rest.replace(/^[^@/]*@/, '').slice(0, 255);
}

/** Formats accepted status codes: `200-299, 304`. */
export function statusText(codes: readonly number[], ranges: readonly string[]): string {
  return [...ranges, ...codes].join(', ');
}

/** Parses codes and ranges. Anything else becomes a range, so that the API reports what is wrong. */
export function parseStatusText(text: string): { codes: number[]; ranges: string[] } {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const isCode = (part: string) => /^\d{3}$/.test(part);
  const ranges = parts.filter((part) => !isCode(part)).map((part) => part.replace(/^(\d)xx$/i, '$100-$199'));
  return { codes: parts.filter(isCode).map(Number), ranges };
}
