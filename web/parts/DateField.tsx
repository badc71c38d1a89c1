import { lazy, Suspense } from 'react';

export interface DateFieldProps {
  kind: 'date' | 'moment' | 'time';
  value?: string | null | undefined;
  onChange?: (value: string) => void;
  id?: string;
  'aria-label'?: string;
  size?: 'small';
  status?: 'error' | '';
}
const DateFieldPicker = lazy(async () => ({
  default: (await import('./DateFieldPicker.tsx')).DateFieldPicker,
}));

/**
 * A day, a moment or a time of day as the reader writes it, whatever the browser's own language; kept as text.
 * The calendar is heavy and comes when a field is shown.
 */
export const DateField = (props: DateFieldProps) => (
  <Suspense fallback={<span className="date-field date-field-room" />}>
    <DateFieldPicker {...props} />
  </Suspense>
);
