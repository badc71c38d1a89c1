import { lazy, Suspense } from 'react';
import type { DateFieldProps } from './DateFieldPicker.tsx';

const DateFieldPicker = lazy(async () => ({
  default: (await import('./DateFieldPicker.tsx')).DateFieldPicker,
}));

/**
 * A day, a moment or a time of day in the reader's format, independent of the browser's language; stored as
 * text. The calendar is large and loads when a field is shown.
 */
export const DateField = (props: DateFieldProps) => (
  <Suspense fallback={<span className="date-field date-field-room" />}>
    <DateFieldPicker {...props} />
  </Suspense>
);
