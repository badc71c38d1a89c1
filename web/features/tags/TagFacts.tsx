import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tagEndpoints } from '#contract/tags.ts';
import { refusalOf } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { imageAddress } from '#web/api/upload.ts';
import { DateField } from '#web/parts/DateField.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { type Tag, useTagsChanged } from './tags.query.ts';

/** A tag: where it is set, why, by whom, since when, and when its review is due. */
export const TagFacts = ({ tag, reviewable }: { tag: Tag; reviewable: boolean }) => {
  const { t } = useTranslation('tags');
  const place = [tag.project_name, tag.device_number, tag.line_name].filter((part) => part !== '');
  return (
    <>
      <p className="tag-reason">{tag.reason}</p>
      {tag.photo_id && (
        <img className="tag-photo" src={imageAddress(tag.photo_id)} alt={t(($) => $.field.photo)} />
      )}
      <dl className="facts">
        <dt>{t(($) => $.field.on[tag.on])}</dt>
        <dd>{place.join(' · ')}</dd>
        <dt>{t(($) => $.field.owner)}</dt>
        <dd>
          {tag.owner} · <TimeText at={tag.set_at} />
        </dd>
        <dt>{t(($) => $.field.review)}</dt>
        <dd>
          <TimeText at={tag.review_at} />{' '}
          {tag.review_due && tag.removed_at === null && (
            <strong className="is-alarm">{t(($) => $.reviewDue)}</strong>
          )}
          {reviewable && <Review tag={tag} />}
        </dd>
        {tag.holding > 0 && (
          <>
            <dt>{t(($) => $.field.holding)}</dt>
            <dd className="is-alarm">{t(($) => $.holding, { count: tag.holding })}</dd>
          </>
        )}
        {tag.removed_at !== null && (
          <>
            <dt>{t(($) => $.field.removed)}</dt>
            <dd>
              {tag.removed_by} · <TimeText at={tag.removed_at} />
              {tag.removal_reason && ` · ${tag.removal_reason}`}
            </dd>
          </>
        )}
      </dl>
    </>
  );
};

/** The owner extends the work and sets the next review. */
const Review = ({ tag }: { tag: Tag }) => {
  const { t } = useTranslation('tags');
  const changed = useTagsChanged();
  const [at, setAt] = useState('');
  const [flaw, setFlaw] = useState<string | null>(null);
  const save = async () => {
    const refusal = await refusalOf(async () => {
      await call(tagEndpoints.review, { tag_id: tag.tag_id, review_at: new Date(at).toISOString() });
      setAt('');
      await changed();
    });
    setFlaw(refusal?.fields['review_at'] ?? null);
  };
  return (
    <span className="tag-review">
      <DateField
        kind="moment"
        size="small"
        aria-label={t(($) => $.nextReview)}
        status={flaw ? 'error' : ''}
        value={at}
        onChange={setAt}
      />
      <Button size="small" disabled={at === ''} onClick={() => void save()}>
        {t(($) => $.nextReview)}
      </Button>
      {flaw && <span className="is-alarm">{flaw}</span>}
    </span>
  );
};
