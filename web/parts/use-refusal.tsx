import { type ReactNode, useId } from 'react';

/** Why the act of a dialog is not possible now: a text for its content, which its button is described by. */
export const useRefusal = (
  reason: string | null,
): { text: ReactNode; button: { disabled: boolean; 'aria-describedby'?: string } } => {
  const id = useId();
  if (reason === null) return { text: null, button: { disabled: false } };
  return {
    text: (
      <p id={id} className="is-alarm" role="alert">
        <strong>{reason}</strong>
      </p>
    ),
    button: { disabled: true, 'aria-describedby': id },
  };
};
