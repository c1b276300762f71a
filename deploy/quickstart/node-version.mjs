const MAJOR_NEEDED = 20;
const MINOR_NEEDED = 19;

/** What to tell somebody whose Node.js is too old; null when it is not. */
export function nodeTooOld(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MAJOR_NEEDED || (major === MAJOR_NEEDED && minor >= MINOR_NEEDED)) return null;
  return `Farwatch needs Node.js ${MAJOR_NEEDED}.${MINOR_NEEDED} or newer; this is ${version}. See https://nodejs.org/en/download`;
}
