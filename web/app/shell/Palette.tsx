import { Input, type InputRef, Modal } from 'antd';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSignedIn } from '#web/api/session.ts';
import { useGo } from '#web/parts/PathLink.tsx';
import type { Hit } from './hit.ts';
import './palette.css';
import type { PaletteActs } from './use-actions.ts';
import { useHits } from './use-hits.ts';

interface Given extends PaletteActs {
  onClose: () => void;
}

/** Ctrl K: opens anything with a name or number, and runs actions of the reader, without the mouse. */
export const Palette = ({ open, ...given }: Given & { open: boolean }) => {
  const { t } = useTranslation('shell');
  return (
    <Modal
      open={open}
      onCancel={given.onClose}
      footer={null}
      closable={false}
      destroyOnHidden
      className="palette"
      title={<span className="out-of-sight">{t(($) => $.palette.open)}</span>}
    >
      <PaletteBox {...given} />
    </Modal>
  );
};

const PaletteBox = ({ onClose, ...acts }: Given) => {
  const { t } = useTranslation('shell');
  const { t: ts } = useTranslation('search');
  const go = useGo();
  const listId = useId();
  const box = useRef<InputRef>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const groups = useHits(text, useSignedIn(), acts);
  const hits = groups.flatMap((each) => each.hits);
  useEffect(() => {
    const timer = window.setTimeout(() => box.current?.focus(), 50);
    return () => window.clearTimeout(timer);
  }, []);

  const follow = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    hit.run?.();
    if (hit.path !== undefined) go(hit.path);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') follow(hits[chosen]);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    setChosen((before) => Math.max(0, Math.min(hits.length - 1, before + step)));
  };
  return (
    <>
      <Input
        ref={box}
        size="large"
        value={text}
        placeholder={t(($) => $.palette.hint)}
        aria-label={t(($) => $.palette.hint)}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        {...(hits[chosen] ? { 'aria-activedescendant': `${listId}-${chosen}` } : {})}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <div id={listId} role="listbox" aria-label={t(($) => $.palette.open)} className="palette-list">
        {groups.map(({ group, hits: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a list, not fields of a form
          <div key={group} role="group" aria-labelledby={`${listId}-${group}`}>
            <div id={`${listId}-${group}`} className="palette-group" role="presentation">
              {ts(($) => $.group[group])}
            </div>
            {own.map((hit) => (
              <PaletteHit
                key={hit.key}
                hit={hit}
                id={`${listId}-${hits.indexOf(hit)}`}
                isChosen={hits.indexOf(hit) === chosen}
                onChoose={() => setChosen(hits.indexOf(hit))}
                onFollow={() => follow(hit)}
              />
            ))}
          </div>
        ))}
        {hits.length === 0 && <p className="palette-none">{t(($) => $.palette.none)}</p>}
      </div>
    </>
  );
};

const PaletteHit = ({
  hit,
  id,
  isChosen,
  onChoose,
  onFollow,
}: {
  hit: Hit;
  id: string;
  isChosen: boolean;
  onChoose: () => void;
  onFollow: () => void;
}) => {
  const here = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) here.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
    <div
      ref={here}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className="palette-hit"
      onMouseMove={onChoose}
      onClick={onFollow}
    >
      <span className="palette-title">{hit.title}</span>
      <span className="palette-note">{hit.note}</span>
    </div>
  );
};
