import type { ReactNode } from 'react';

interface FieldProps {
  name: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  type?: 'text' | 'password';
  autoComplete?: string;
  autoFocus?: boolean;
  inputMode?: 'numeric';
  maxLength?: number;
  beside?: ReactNode;
}

export const Field = ({ name, label, value, onChange, error, beside, ...input }: FieldProps) => {
  const id = `door-${name}`;
  return (
    <div className="door-field">
      <label htmlFor={id}>{label}</label>
      <div className="door-beside">
        <input
          {...input}
          id={id}
          name={name}
          value={value}
          spellCheck={false}
          autoCapitalize="none"
          aria-required
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-error`}
          onChange={(event) => onChange(event.target.value)}
        />
        {beside}
      </div>
      <p id={`${id}-error`} className="door-error" aria-live="polite">
        {error}
      </p>
    </div>
  );
};
