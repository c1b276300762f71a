/** The address that somebody means who types `example.com`: with the scheme that is usual. */
export function fullAddress(typed: string): string {
  const text = typed.trim();
  return text === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

/** A name for the monitor of an address: its host, and its path if there is one. */
export function nameOfAddress(address: string): string {
  const rest = address.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').replace(/[?#].*$/, '').replace(/\/+$/, '');
  return rest.replace(/^[^@/]*@/, '').slice(0, 255);
}
