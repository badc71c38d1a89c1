import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { Fault, isNetworkFault } from '#web/api/fault.ts';

export type SignedIn = ReplyOf<(typeof sessionEndpoints)['signIn']>;
interface Trouble {
  fields: Readonly<Record<string, string>>;
  text: string | null;
  network: boolean;
}
const noTrouble: Trouble = { fields: {}, text: null, network: false };

/** Runs one way of signing in, stores its error, and counts down if the server requires a wait. */
export const useSignIn = (onSignedIn: (signedIn: SignedIn) => void) => {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState(noTrouble);
  const [waitSeconds, setWaitSeconds] = useState(0);
  /** The password was right, and the second step follows. */
  const [ticket, setTicket] = useState<string | null>(null);

  const { language } = useTranslation('signIn').i18n;
  // The server's sentence is in the language of its call.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language takes the sentence away
  useEffect(() => setTrouble(noTrouble), [language]);
  useEffect(() => {
    if (waitSeconds <= 0) return;
    const timer = window.setTimeout(() => setWaitSeconds(waitSeconds - 1), 1000);
    return () => window.clearTimeout(timer);
  }, [waitSeconds]);

  const run = useCallback(
    async (signIn: () => Promise<SignedIn>): Promise<boolean> => {
      setBusy(true);
      setTrouble(noTrouble);
      try {
        onSignedIn(await signIn());
        return true;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error.ticket !== null) {
          setTicket(error.ticket);
          return false;
        }
        // The second step took too long: the password is needed again.
        if (error.status === 403) setTicket(null);
        const known = ['username', 'password', 'code'].some((field) => field in error.fields);
        setTrouble({
          fields: error.fields,
          text: known || isNetworkFault(error) ? null : error.message,
          network: isNetworkFault(error),
        });
        if (error.retryAfterSeconds !== null) setWaitSeconds(error.retryAfterSeconds);
        return false;
      } finally {
        setBusy(false);
      }
    },
    [onSignedIn],
  );
  const startAgain = () => {
    setTicket(null);
    setTrouble(noTrouble);
  };
  return { run, busy, trouble, waitSeconds, ticket, startAgain };
};

type Code = ReplyOf<(typeof sessionEndpoints)['code']>;
/** The four-digit code: its picture, or a sentence instead of it. */
export const useCode = (language: string) => {
  const [code, setCode] = useState<Code | null>(null);
  const [alternative, setAlternative] = useState(false);
  const [failed, setFailed] = useState(false);
  const coming = useRef<Promise<Code | null>>(Promise.resolve(null));
  const fetchCode = useCallback((asText: boolean) => {
    const fetching = async () => {
      setAlternative(asText);
      try {
        const fetched = await call(sessionEndpoints.code, { alternative: asText }, { quiet: true });
        setCode(fetched);
        setFailed(false);
        return fetched;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        setCode(null);
        setFailed(true);
        return null;
      }
    };
    coming.current = fetching();
    return coming.current;
  }, []);
  // The sentence is in the reader's language: another language, another sentence.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the language decides what the server answers
  useEffect(() => {
    void fetchCode(alternative);
  }, [language, alternative, fetchCode]);
  return {
    code,
    /** The requested code when it has arrived; null if none was available. */
    arrived: () => coming.current,
    alternative,
    failed,
    refresh: () => fetchCode(alternative),
    setAlternative,
  };
};
