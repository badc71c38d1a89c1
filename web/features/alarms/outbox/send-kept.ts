import { alarmEndpoints } from '#contract/alarms.ts';
import { call } from '../../../api/call.ts';
import { Fault, isNetworkFault } from '../../../api/fault.ts';
import { dropText, type KeptText, keepText } from './kept-texts.ts';

/** What the server made of a text; 'later': it could not be asked, and the text stays as it is. */
export type Sent = 'done' | 'refused' | 'later';

const stillThere = 500;
/** An attempt whose answer was lost may have handled the alarm with this very text. */
const isOwnText = async ({ id, content }: KeptText): Promise<boolean> =>
  (await call(alarmEndpoints.detail, { id }, { quiet: true })).processing_content === content;

/** Why the server does not take a text; null: it did. Throws Fault. */
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

/** Sends one text. It leaves this device when the server took it, and stays with the reason when it did not. */
export const sendKept = async (text: KeptText): Promise<Sent> => {
  try {
    const refused = await refusalOf(text);
    if (refused === null) await dropText(text);
    else await keepText({ ...text, refused });
    return refused === null ? 'done' : 'refused';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // Without a session, or while the server is unwell, it waits for the next time.
    if (isNetworkFault(error) || error.status === 401 || error.status >= stillThere) return 'later';
    await keepText({ ...text, refused: error.message });
    return 'refused';
  }
};
