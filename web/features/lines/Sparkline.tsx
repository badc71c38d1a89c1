import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { lineEndpoints } from '#contract/lines.ts';
import { channelUnit } from '#contract/parameter-names.ts';
import { useFormats } from '#web/i18n/format.ts';
import { QuantityRange } from '#web/values/Quantity.tsx';
import { sparkPath } from './spark-path.ts';

export type Spark = ReplyOf<typeof lineEndpoints.sparks>['lines'][number];
const box = { width: 120, height: 24 };

/** The last hour of a line: its curve, and its minimum and maximum. Its space is reserved while it loads. */
export const Sparkline = ({ spark }: { spark: Spark | undefined }) => {
  const { t } = useTranslation('lines');
  const { colon } = useFormats();
  const known = (spark?.values ?? []).filter((value) => value !== null);
  if (!spark) return <div className="spark" />;
  if (known.length === 0)
    return (
      <div className="spark">
        <span className="soft">{t(($) => $.spark.none)}</span>
      </div>
    );
  const [least, most] = [Math.min(...known), Math.max(...known)];
  // Zero means no flow, but a temperature scale does not begin at zero.
  const low = spark.quantity === 'T' ? least : Math.min(0, least);
  const unit = channelUnit(spark.quantity);
  return (
    <div className="spark">
      <svg viewBox={`0 -2 ${box.width} ${box.height + 4}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={sparkPath(spark.values, { low, high: most }, box)} vectorEffect="non-scaling-stroke" />
      </svg>
      <span className="soft spark-words">
        {t(($) => $.spark.hour)}
        {colon}
        {t(($) => $.spark.quantity[spark.quantity])} <QuantityRange values={known} unit={unit} />
      </span>
    </div>
  );
};
