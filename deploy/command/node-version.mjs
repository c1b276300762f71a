const MIN_MAJOR = 20;
const MIN_MINOR = 19;

/** The error message for an outdated Node.js; null if it is recent enough. */
export function nodeVersionError(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_MAJOR || (major === MIN_MAJOR && minor >= MIN_MINOR)) return null;
  return `Farwatch needs Node.js ${MIN_MAJOR}.${MIN_MINOR} or newer; this is ${version}. See https://nodejs.org/en/download`;
}
