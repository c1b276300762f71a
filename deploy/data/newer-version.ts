/** Whether a version is newer than another one, by the order of Semantic Versioning. */
export function isNewer(version: string, than: string): boolean {
  return compare(version, than) > 0;
}

const numbersInOrder = new Intl.Collator('en', { numeric: true }).compare;

function compare(one: string, other: string): number {
  const [[core, pre], [otherCore, otherPre]] = [partsOf(one), partsOf(other)];
  const byCore = numbersInOrder(core, otherCore);
  if (byCore !== 0 || pre === otherPre) return byCore;
  // A version without a pre-release part is the newer one.
  if (pre === '' || otherPre === '') return pre === '' ? 1 : -1;
  return numbersInOrder(pre, otherPre);
}

function partsOf(version: string): [core: string, preRelease: string] {
  const [, core = '', pre = ''] = /^([^-+]*)-?([^+]*)/.exec(version) ?? [];
  return [core, pre];
}
