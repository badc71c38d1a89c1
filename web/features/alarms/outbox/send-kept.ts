import { alarmEndpoints } from '#contract/alarms.ts';
import { call } from '#web/api/call.ts';
import { Fault, isNetworkFault } from '#web/api/fault.ts';
import { dropText, type KeptText, keepText } from './kept-texts.ts';

/** The server's answer for a text; 'later': there was no answer, and the text stays. */
type Sent = 'done' | 'refused' | 'later';

const stillThere = 500;
/** An attempt whose answer was lost may already have handled the alarm with the same text. */
const isOwnText = async ({ id, content }: KeptText): Promise<boolean> =>
  (await call(alarmEndpoints.detail, { id }, { quiet: true })).processing_content === content;

/** Why the server refuses a text; null: it accepted it. Throws Fault. */
const refusalOf = async (text: KeptText): Promise<string | null> => {
  const { id, content, revision, written_at } = text;
  const { results } = await call(
    alarmEndpoints.handle,
    { id, content, revision, written_at },
    { quiet: true },
  );
  const [only] = results;
  if (only?.result === 'done') return null;
  const reason = only?.reason ?? 'missing';
  return reason === 'processed' && (await isOwnText(text)) ? null : reason;
};

/** Sends one text. It is deleted here when the server accepted it, and stays with the reason if not. */
export const sendKept = async (text: KeptText): Promise<Sent> => {
  try {
    const refused = await refusalOf(text);
    if (refused === null) await dropText(text);
    else await keepText({ ...text, refused });
    return refused === null ? 'done' : 'refused';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // Without a session, or during a server failure, it waits for the next attempt.
    if (isNetworkFault(error) || error.status === 401 || error.status >= stillThere) return 'later';
    await keepText({ ...text, refused: error.message });
    return 'refused';
  }
};
