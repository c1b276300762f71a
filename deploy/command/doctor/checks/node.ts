import { nodeVersionError } from '../../node-version.mjs';
import { failed, ok, type Check, type Finding } from '../check.ts';

export const checkNode: Check = async ({ version }) => judgeNode(process.versions.node, version);

export function judgeNode(nodeVersion: string, version: string): Finding {
  const error = nodeVersionError(nodeVersion);
  if (error === null) return ok(`Farwatch ${version} on Node.js ${nodeVersion}`);
  return failed(error, 'Install a newer Node.js and start Farwatch with it.');
}

export const checkSettings: Check = async ({ problems }) => problems.length === 0
  ? ok('All settings are valid')
  : failed(problems.join('; '), 'Correct these environment variables; docs/settings.md describes each.');
