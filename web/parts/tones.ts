export type Loudness = 'soft' | 'loud';
const volumes: Record<Loudness, number> = { soft: 0.06, loud: 0.25 };
const toneSeconds = 0.15;
const stepSeconds = 0.22;
/** Minimum time between two sounds with the same or fewer tones, in all tabs of the browser together. */
const quietMs = 3_000;
const patienceMs = 1_000;
const lockName = 'ampwatch-sound';

let audio: AudioContext | null = null;
let resting: number | undefined;
/** When a sound with this number of tones was last played. */
const rung = new Map<number, number>();

/** The audio context; null if the browser allows sound only after a touch. */
const awake = async (): Promise<AudioContext | null> => {
  if (!('AudioContext' in window)) return null;
  if (audio?.state === 'suspended' && navigator.userActivation?.hasBeenActive === false) return null;
  audio ??= new AudioContext();
  window.clearTimeout(resting);
  const asked = performance.now();
  await audio.resume();
  return performance.now() - asked < patienceMs ? audio : null;
};

const sound = (made: AudioContext, frequencies: readonly number[], loudness: Loudness): void => {
  for (const [index, frequency] of frequencies.entries()) {
    const start = made.currentTime + index * stepSeconds;
    const tone = made.createOscillator();
    const gain = made.createGain();
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(volumes[loudness], start);
    gain.gain.linearRampToValueAtTime(0, start + toneSeconds);
    tone.connect(gain).connect(made.destination);
    tone.start(start);
    tone.stop(start + toneSeconds);
  }
  window.clearTimeout(resting);
  resting = window.setTimeout(() => void made.suspend(), quietMs);
};

/** Plays short tones, one after the other (Hz), at once. */
export const playTones = async (frequencies: readonly number[], loudness: Loudness): Promise<void> => {
  const made = await awake();
  if (made) sound(made, frequencies, loudness);
};

/**
 * Plays tones as an automatic sound: only one of several tabs plays it, and not again for three seconds unless
 * the new sound has more tones.
 */
export const ringTones = async (frequencies: readonly number[], loudness: Loudness): Promise<void> => {
  const now = performance.now();
  if ([...rung].some(([tones, at]) => tones >= frequencies.length && now - at < quietMs)) return;
  rung.set(frequencies.length, now);
  const made = await awake();
  if (!made) return;
  if (!('locks' in navigator)) {
    sound(made, frequencies, loudness);
    return;
  }
  await navigator.locks.request(`${lockName}-${frequencies.length}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    sound(made, frequencies, loudness);
    await new Promise((resolve) => window.setTimeout(resolve, quietMs));
  });
};
