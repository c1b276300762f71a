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
