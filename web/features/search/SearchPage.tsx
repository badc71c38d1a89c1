import { useQuery } from '@tanstack/react-query';
import Input from 'antd/es/input/Input.js';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { isSearchable, longestSearch, searchEndpoints, searchGroups } from '#contract/search.ts';
import { keptQuery } from '#web/api/query.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { type Found, hitsOf } from '#web/parts/search-hits.ts';
import { optionalText, useUrlState } from '#web/parts/url-state.ts';
import './search.css';
import { useCountWords } from './use-count-words.ts';

const searchShape = z.object({ text: optionalText });
const typingMs = 250;
const perGroup = 30;

/** One search over everything in scope; the text is in the address, and arrow keys move through the hits. */
export const SearchPage = () => {
  const { t } = useTranslation('search');
  const [{ text = '' }, setSearch] = useUrlState(searchShape);
  const [typed, setTyped] = useState(text);
  const asked = useDeferredValue(text.trim());
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (typed !== text) setSearch({ text: typed });
    }, typingMs);
    return () => window.clearTimeout(timer);
  }, [typed, text, setSearch]);
  const words = useCountWords();
  const query = useQuery({
    ...keptQuery(searchEndpoints.find, { text: asked, limit: perGroup }),
    enabled: isSearchable(asked),
  });
  useEffect(() => {
    const box = page.current;
    const walk = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (step === 0 || !box) return;
      event.preventDefault();
      const stops = [...box.querySelectorAll<HTMLElement>('input, .search-hit')];
      const at = stops.indexOf(document.activeElement as HTMLElement);
      stops[Math.max(0, Math.min(stops.length - 1, at + step))]?.focus();
    };
    box?.addEventListener('keydown', walk);
    return () => box?.removeEventListener('keydown', walk);
  }, []);
  return (
    <div ref={page}>
      <PageHeader title={t(($) => $.title)} />
      <Input
        className="search-box"
        size="large"
        type="search"
        autoFocus
        maxLength={longestSearch}
        aria-label={t(($) => $.hint)}
        placeholder={t(($) => $.hint)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {!isSearchable(asked) ? (
        <p className="soft">{t(($) => $.how)}</p>
      ) : (
        <DataState
          query={query}
          rows={8}
          isEmpty={(found) => hitsOf(found, currentLanguage(), words).length === 0}
          empty={
            <>
              {t(($) => $.none, { text: asked })}
              <br />
              {t(($) => $.otherwise)}
            </>
          }
        >
          {(found) => <Groups found={found} />}
        </DataState>
      )}
    </div>
  );
};

const Groups = ({ found }: { found: Found }) => {
  const { t } = useTranslation('search');
  const hits = hitsOf(found, currentLanguage(), useCountWords());
  return (
    <div aria-live="polite">
      {searchGroups.map((group) => {
        const own = hits.filter((hit) => hit.group === group);
        return own.length === 0 ? null : (
          <section key={group} className="search-group">
            <h2>{t(($) => $.group[group])}</h2>
            <ul className="plain-list">
              {own.map(({ key, title, note, path }) => (
                <li key={key}>
                  <PathLink to={path} className="search-hit">
                    <strong>{title}</strong> <span className="soft">{note}</span>
                  </PathLink>
                </li>
              ))}
            </ul>
            {found.more.includes(group) && <p className="soft">{t(($) => $.more, { count: own.length })}</p>}
          </section>
        );
      })}
    </div>
  );
};
