/** Two short tones; silent where the browser has not let the page make sound yet. */
export const beep = (): void => {
  const audio = new AudioContext();
  [0, 0.25].forEach((start) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = 880;
    volume.gain.value = 0.08;
    tone.connect(volume).connect(audio.destination);
    tone.start(audio.currentTime + start);
    tone.stop(audio.currentTime + start + 0.15);
  });
  window.setTimeout(() => void audio.close(), 1000);
};
