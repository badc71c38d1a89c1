const patienceMs = 8_000;

/** Whether the server answers now, without a session: requests a small file without any cache. */
export const reachesServer = async (): Promise<boolean> => {
  try {
    const options: RequestInit = {
      method: 'HEAD',
      cache: 'no-store',
      signal: AbortSignal.timeout(patienceMs),
    };
    const { status } = await fetch('/favicon.svg', options);
    return status < 502;
  } catch {
    return false;
  }
};
