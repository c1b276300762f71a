import { request } from 'undici';

/** Samples by their name with labels, as in the text. */
export class Scrape {
  readonly text: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly #samples: Map<string, number>;

  constructor(text: string, headers: Scrape['headers'] = {}) {
    this.text = text;
    this.headers = headers;
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    this.#samples = new Map(lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }));
    if (this.#samples.size < lines.length) throw new Error(`a sample is repeated:\n${text}`);
  }

  /** Undefined if there is no sample of this name with exactly these labels. */
  value(series: string): number | undefined {
    return this.#samples.get(series);
  }

  /** The samples whose name and labels contain all of these texts. */
  matching(...texts: string[]): [series: string, value: number][] {
    return [...this.#samples].filter(([series]) => texts.every((text) => series.includes(text)));
  }
}

/** Reads `/api/metrics`. Rejects unless the response is 200. */
export async function scrape(url: string, headers: Record<string, string>): Promise<Scrape> {
  const response = await request(`${url}/api/metrics`, { headers });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
  return new Scrape(text, response.headers);
}
