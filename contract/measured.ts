/**
 * The energy of a period; null if there was no reading and no mark says what else tells it: then it is not known,
 * and not zero.
 */
export const measuredKWh = ({
  kwh,
  coverage,
  marks = [],
}: {
  kwh: number;
  coverage: number | null;
  marks?: readonly string[];
}): number | null => ((coverage ?? 0) === 0 && kwh === 0 && marks.length === 0 ? null : kwh);
