/** Accepted status codes as people write them: `200-299, 304`. */
export function statusText(codes: readonly number[], ranges: readonly string[]): string {
  return [...ranges, ...codes].join(', ');
}

/** Codes and ranges of such a text. What is neither goes along as a range, for the API to say what is wrong. */
export function parseStatusText(text: string): { codes: number[]; ranges: string[] } {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const isCode = (part: string) => /^\d{3}$/.test(part);
  const ranges = parts.filter((part) => !isCode(part)).map((part) => part.replace(/^(\d)xx$/i, '$100-$199'));
  return { codes: parts.filter(isCode).map(Number), ranges };
}
