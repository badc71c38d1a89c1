import { useTranslation } from 'react-i18next';

interface Difference {
  path: string;
  before?: unknown;
  after?: unknown;
}
const shown = (value: unknown) => JSON.stringify(value);

/** The changes of the object: added, removed and replaced values, each at its path. */
export const JsonDiff = ({ diff }: { diff: readonly Difference[] }) => {
  const { t } = useTranslation('deviceSettings');
  if (diff.length === 0) return <p role="status">{t(($) => $.custom.same)}</p>;
  return (
    <table className="json-diff" aria-label={t(($) => $.custom.diff)}>
      <thead>
        <tr>
          <th scope="col">{t(($) => $.custom.path)}</th>
          <th scope="col">{t(($) => $.custom.before)}</th>
          <th scope="col">{t(($) => $.custom.after)}</th>
        </tr>
      </thead>
      <tbody>
        {diff.map(({ path, before, after }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td>{before === undefined ? '—' : <del>{shown(before)}</del>}</td>
            <td>{after === undefined ? '—' : <ins>{shown(after)}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
