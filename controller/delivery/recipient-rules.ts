/**
 * A webhook's address for a log that people read who may not see the destination itself: without query, and with parts
 * of the path that look like keys cut short, since for many receivers the path is the secret.
 */
export function shownRecipient(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname === '/' ? '' : pathname;
  return `${origin}${path.split('/').map(shownSegment).join('/')}`;
}

function shownSegment(segment: string): string {
  const looksRandom = segment.length >= 16 && (/\d/.test(segment) || (/[a-z]/.test(segment) && /[A-Z]/.test(segment)));
  return looksRandom ? `${segment.slice(0, 4)}…` : segment;
}
