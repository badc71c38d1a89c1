import Input from 'antd/es/input/Input.js';
import Password from 'antd/es/input/Password.js';

/**
 * The only field of a confirmation that must open at once. antd's form would be a quarter of the bytes that
 * such a screen loads.
 */
export const AskField = ({
  id,
  kind,
  label,
  flaw,
  focused = false,
  onChange,
}: {
  id: string;
  kind: 'text' | 'password';
  label: string;
  flaw?: string | undefined;
  /** Whether the field has the focus when it appears. */
  focused?: boolean;
  onChange: (value: string) => void;
}) => {
  const Field = kind === 'password' ? Password : Input;
  const flawId = `${id}-flaw`;
  return (
    <div className="ask-field">
      <label htmlFor={id}>{label}</label>
      <Field
        id={id}
        autoFocus={focused}
        autoComplete={kind === 'password' ? 'current-password' : 'off'}
        {...(flaw ? { status: 'error', 'aria-invalid': true, 'aria-describedby': flawId } : {})}
        onChange={(event) => onChange(event.target.value)}
      />
      {flaw && (
        <p id={flawId} className="ask-flaw" role="alert">
          {flaw}
        </p>
      )}
    </div>
  );
};
