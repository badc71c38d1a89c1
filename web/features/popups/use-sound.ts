import { useQuery, useQueryClient } from '@tanstack/react-query';
import { noticeEndpoints } from '#contract/notices.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { type Loudness, playTones } from '#web/parts/tones.ts';

const settings = endpointQuery(noticeEndpoints.popup, {});
const sample = [880, 880];
/** The loudness to restore when the sound is unmuted. */
let lastLoudness: Loudness = 'soft';

/** The reader's choice about pop-ups and sound of new alarms, and the mute switch. */
export const useSound = () => {
  const client = useQueryClient();
  const { data: wish } = useQuery({ ...settings, staleTime: 60_000 });
  const sound = wish?.sound ?? 'off';
  const toggle = async () => {
    if (!wish) return;
    if (sound !== 'off') lastLoudness = sound;
    const changed = { ...wish, sound: sound === 'off' ? lastLoudness : ('off' as const) };
    if (changed.sound !== 'off') void playTones(sample, changed.sound);
    client.setQueryData(settings.queryKey, changed);
    const refusal = await attempt(() => call(noticeEndpoints.setPopup, changed));
    if (refusal) await client.invalidateQueries({ queryKey: settings.queryKey });
  };
  return { wish, sound, toggle };
};
