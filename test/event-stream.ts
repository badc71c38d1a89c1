import { patienceMs } from './patience.ts';

export interface StreamEvent {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events freely; the contract's schemas describe them
  data: any;
}
export interface EventStream {
  events: StreamEvent[];
  /** The first matching event, from the past or within the time limit. */
  hears(fits: (event: StreamEvent) => boolean, limitMs?: number): Promise<StreamEvent>;
  close(): void;
  /** Resolves when either side has closed the stream. */
  ended: Promise<void>;
}

/** Listens to a stream of server-sent events as a console does; resolves after the server's hello. */
export const listenTo = async (url: string, token: string): Promise<EventStream> => {
  const ending = new AbortController();
  const answer = await fetch(url, { headers: { authorization: token }, signal: ending.signal });
  if (!answer.ok || !answer.body) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
  const events: StreamEvent[] = [];
  const waiting = new Set<() => void>();
  const read = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of body) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const name = /^event: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (name && data) events.push({ name, data: JSON.parse(data) });
      }
      for (const look of waiting) look();
    }
  };
  const ended = read(answer.body).catch(() => {}); // closed by either side
  const stream: EventStream = {
    events,
    hears: (fits, limitMs = patienceMs) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(fits);
          if (!found) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve(found);
        };
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`not heard: ${fits}; heard ${JSON.stringify(events.slice(-20))}`));
        }, limitMs);
        waiting.add(look);
        look();
      }),
    close: () => ending.abort(),
    ended,
  };
  await stream.hears(({ name }) => name === 'hello');
  return stream;
};
