import type { ComponentType } from 'react';
import { create } from 'zustand';

/** Marks that this browser keeps texts; the texts themselves are in its database. */
export const keptCookie = 'kept_texts';

/**
 * The part that shows and sends kept texts. It is loaded with the dialog in which they are written, so that
 * it is available offline, or at the start if texts were kept before.
 */
export const useOutboxPart = create<{ Part: ComponentType | null }>(() => ({ Part: null }));
