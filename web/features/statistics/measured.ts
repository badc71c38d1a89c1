/** The energy of a period; null if there was no reading: then it is not known, and not zero. */
export const measuredKWh = ({ kwh, coverage }: { kwh: number; coverage: number | null }): number | null =>
  coverage === null && kwh === 0 ? null : kwh;
