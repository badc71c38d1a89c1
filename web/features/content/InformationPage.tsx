import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { contentEndpoints } from '#contract/content.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { Markdown } from '#web/parts/Markdown.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { TimeText } from '#web/values/TimeText.tsx';

/** The published texts of the administrators. */
export const InformationPage = () => {
  const { t } = useTranslation('content');
  const query = useQuery(endpointQuery(contentEndpoints.published, {}));
  return (
    <>
      <PageHeader title={t(($) => $.information)} />
      <DataState query={query}>
        {({ list }) =>
          list.length === 0 ? (
            <p className="soft">{t(($) => $.nothing)}</p>
          ) : (
            list.map(({ id, title, content, updated_at }) => (
              <article key={id}>
                <h2>{title}</h2>
                <p className="soft">
                  <TimeText at={updated_at} kind="date" />
                </p>
                <Markdown text={content} />
              </article>
            ))
          )
        }
      </DataState>
    </>
  );
};
