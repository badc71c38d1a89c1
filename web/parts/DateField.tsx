import { lazy, Suspense } from 'react';
import type { DateFieldProps } from './DateFieldPicker.tsx';

const DateFieldPicker = lazy(async () => ({
  default: (await import('./DateFieldPicker.tsx')).DateFieldPicker,
}));

/**
 * A day, a moment or a time of day as the reader writes it, independent of the browser's language; kept as text. The
 * calendar is heavy and comes when a field is shown.
 */
export const DateField = (props: DateFieldProps) => (
  <Suspense fallback={<span className="date-field date-field-room" />}>
    <DateFieldPicker {...props} />
  </Suspense>
);
