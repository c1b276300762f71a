const LONGEST_LOCAL = 64;
const LONGEST_ADDRESS = 254;

/** RFC 5322 dot-atom: no quotes, comments, display names or lists. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Why mail cannot be sent to this address; null when it can. One bare address in ASCII is meant, and nothing around it. */
export function addressProblem(address: string): string | null {
  const at = address.lastIndexOf('@');
  const [local, labels] = [address.slice(0, at), address.slice(at + 1).split('.')];
  const isAddress = at > 0 && address.length <= LONGEST_ADDRESS && local.length <= LONGEST_LOCAL && LOCAL.test(local)
    && labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) as string);
  return isAddress ? null : 'Must be one e-mail address, such as ops@example.com';
}

/** The address in one spelling: names of domains have no case, mailboxes may. */
export function spelled(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${address.slice(at + 1).toLowerCase()}`;
}

/** The addresses in their order, each once: the same mailbox in another case is taken for the same one. */
export function withoutRepeats(addresses: string[]): string[] {
  const seen = new Map<string, string>();
  for (const address of addresses.map(spelled)) if (!seen.has(address.toLowerCase())) seen.set(address.toLowerCase(), address);
  return [...seen.values()];
}
