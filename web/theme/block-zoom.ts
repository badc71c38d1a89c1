/** Browser zoom shortcuts are blocked as specified; the text-size control of the user menu replaces them. */
const zoomKeys = ['+', '-', '=', '0', '_'];

export const blockZoom = (): (() => void) => {
  const ending = new AbortController();
  const { signal } = ending;
  window.addEventListener(
    'keydown',
    (event) => {
      if ((event.ctrlKey || event.metaKey) && zoomKeys.includes(event.key)) event.preventDefault();
    },
    { signal },
  );
  window.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey) event.preventDefault();
    },
    { signal, passive: false },
  );
  return () => ending.abort();
};
