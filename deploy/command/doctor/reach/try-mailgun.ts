const TIMEOUT_MS = 8000;

export interface MailgunResponse {
  /** Null if there was none. */
  status: number | null;
  text: string;
}

/** Mailgun's response to a message without a recipient, which it cannot send. */
export async function tryMailgun(
  { apiKey, domain, url }: { apiKey: string; domain: string; url: string },
): Promise<MailgunResponse> {
  try {
    const response = await fetch(`${url}/v3/${encodeURIComponent(domain)}/messages`, {
      method: 'POST', body: new URLSearchParams({ from: `farwatch@${domain}`, text: '-' }),
      headers: { authorization: `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: (await response.text()).slice(0, 200) };
  } catch (error) {
    const { message, cause } = error as Error;
    return { status: null, text: cause instanceof Error && cause.message !== '' ? cause.message : message };
  }
}
