import type { Endpoint } from '#contract/endpoint.ts';
import { raise, readAnswer, send } from './call.ts';
import { localFault } from './fault.ts';
import { callOutcomes } from './link-state.ts';

/** An export may take long, so only its first byte has a time limit. */
const longestMs = 3_600_000;
const reportEveryMs = 300;

/**
 * Lets the browser save the answer of an address. It clicks a link, because `location.assign` would be
 * cancelled when a closing dialog steps back in the history.
 */
export const saveAddress = (address: string, fileName: string): void => {
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
};

export const saveBlob = (blob: Blob, fileName: string): void => {
  const address = URL.createObjectURL(blob);
  saveAddress(address, fileName);
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
};

/**
 * Fetches the file that an export endpoint streams and saves it; `report` is called with the number of bytes received.
 * Throws Fault.
 */
export const download = async (
  endpoint: Endpoint,
  body: unknown,
  fileName: string,
  report: (bytes: number) => void,
): Promise<void> => {
  try {
    const response = await send(endpoint, body, null, undefined, longestMs);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || type.startsWith('application/json')) {
      await readAnswer(response, null);
      return;
    }
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    let reportedAt = 0;
    const reader = response.body!.getReader();
    const next = () =>
      reader.read().catch(() => {
        callOutcomes.failed();
        throw localFault('network');
      });
    for (let part = await next(); !part.done; part = await next()) {
      parts.push(part.value);
      bytes += part.value.byteLength;
      if (performance.now() - reportedAt < reportEveryMs) continue;
      reportedAt = performance.now();
      report(bytes);
    }
    saveBlob(new Blob(parts, { type }), fileName);
  } catch (error) {
    raise(error, true);
  }
};
