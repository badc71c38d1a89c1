import type { SyntheticEvent } from 'react';

/** Texts of a list that two lines may not show whole. */
const texts = '.is-short button, .is-short > .grid-cell, .short-text';

/** What the pointer or the focus is on gets its whole text as title, if its lines do not show all of it. */
export const titleShortened = ({ target }: SyntheticEvent): void => {
  const text = (target as Element).closest<HTMLElement>(texts);
  if (!text) return;
  if (text.scrollHeight > text.clientHeight + 1) text.title = text.textContent;
  else text.removeAttribute('title');
};
