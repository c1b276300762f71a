import { hashSecret, newSecret } from '../../shared/ids.ts';

export interface FreshKey {
  key: string;
  hash: string;
  preview: string;
}

/** A new key of 256 random bits, what is stored of it, and what is shown of it afterwards. */
export function newApiKey(): FreshKey {
  const secret = newSecret();
  const key = `fw_${secret}`;
  return { key, hash: hashSecret(key), preview: `fw_${secret.slice(0, 4)}...${secret.slice(-4)}` };
}
