import type { ComponentType } from 'react';
import { create } from 'zustand';

/** Says that this browser keeps texts; they themselves are in its database. */
export const keptCookie = 'kept_texts';

/**
 * What shows and sends kept texts. It comes with the dialog that they are written in, so that it is there without a
 * connection, or from the server where texts were kept before.
 */
export const useOutboxPart = create<{ Part: ComponentType | null }>(() => ({ Part: null }));
