import { createHmac } from 'node:crypto';

/** Value of `X-Service-Signature`: HMAC-SHA256, keyed with the whole secret, over the timestamp, a period and the bytes of the body. */
export function signatureOf(secret: string, timestamp: number, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}
