const volumes = { soft: 0.06, loud: 0.25 };
const quietMs = 3_000;
let audio: AudioContext | null = null;
let last = Number.NEGATIVE_INFINITY;

/**
 * Two short tones, not more often than every three seconds; silent where the browser has not let the page make sound
 * yet.
 */
export const beep = (volume: 'soft' | 'loud'): void => {
  const now = performance.now();
  if (now - last < quietMs || !('AudioContext' in window)) return;
  last = now;
  audio ??= new AudioContext();
  if (audio.state === 'suspended') void audio.resume();
  for (const start of [0, 0.25]) {
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.frequency.value = 880;
    gain.gain.value = volumes[volume];
    tone.connect(gain).connect(audio.destination);
    tone.start(audio.currentTime + start);
    tone.stop(audio.currentTime + start + 0.15);
  }
};
