let able: boolean | undefined;
/** Whether this browser draws street tiles. */
export const hasWebGl = (): boolean => {
  able ??= document.createElement('canvas').getContext('webgl2') !== null;
  return able;
};
