import { Input, type InputRef, Modal } from 'antd';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSignedIn } from '../../api/session.ts';
import { useGo } from '../../parts/PathLink.tsx';
import { type Hit, useHits } from './use-hits.ts';

/** Ctrl K: go to any screen, device, alarm or project by its number or name. */
export const Palette = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t } = useTranslation('shell');
  return (
    <Modal
      open={open}
      onCancel={onClose}
      footer={null}
      closable={false}
      destroyOnHidden
      style={{ top: 80 }}
      title={<span className="out-of-sight">{t(($) => $.palette.open)}</span>}
    >
      <PaletteBox onClose={onClose} />
    </Modal>
  );
};

const PaletteBox = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation('shell');
  const go = useGo();
  const listId = useId();
  const box = useRef<InputRef>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const hits = useHits(text, useSignedIn());
  useEffect(() => {
    const timer = window.setTimeout(() => box.current?.focus(), 50);
    return () => window.clearTimeout(timer);
  }, []);

  const follow = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    go(hit.path);
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
        {hits.map((hit, index) => (
          <div
            key={hit.key}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className="palette-hit"
            onMouseMove={() => setChosen(index)}
            onClick={() => follow(hit)}
            onKeyDown={press}
          >
            <span className="palette-kind">{t(($) => $.palette[hit.kind])}</span>
            <span className="palette-title">{hit.title}</span>
            <span className="palette-note">{hit.note}</span>
          </div>
        ))}
        {hits.length === 0 && <p className="palette-none">{t(($) => $.palette.none)}</p>}
      </div>
    </>
  );
};
