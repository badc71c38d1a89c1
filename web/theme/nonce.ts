/** The page's nonce, which the server sets in each answer. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

/**
 * Gives the nonce to every style element made by scripts. antd passes it on to its own, but the scroll-bar
 * measurement of its table makes one without, which the content security policy then refuses.
 */
export const giveStylesTheNonce = (): void => {
  if (nonce === '') return;
  const create = document.createElement.bind(document);
  const withNonce = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
  document.createElement = withNonce;
};
