let able: boolean | undefined;
/** Whether this browser can draw street tiles. */
export const hasWebGl = (): boolean => {
  able ??= document.createElement('canvas').getContext('webgl2') !== null;
  return able;
};
