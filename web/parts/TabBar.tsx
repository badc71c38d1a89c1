import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';

interface Tab<Key extends string> {
  key: Key;
  label: ReactNode;
}

/** Tabs in a row that scrolls sideways if there is no room, with the content of the selected one below. */
export const TabBar = <Key extends string>({
  label,
  tabs,
  active,
  onChange,
  within = false,
  children,
}: {
  label: string;
  tabs: readonly Tab<Key>[];
  active: Key;
  onChange: (key: Key) => void;
  /** Sections of a tab: drawn smaller than the tabs above them. */
  within?: boolean;
  children: ReactNode;
}) => {
  const id = useId();
  const row = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab comes into sight whenever it changes
  useEffect(() => {
    // Scrolling lays out the page: with the frame, which does so anyway, not within the task that draws the screen.
    const frame = requestAnimationFrame(() => {
      row.current
        ?.querySelector('[aria-selected=true]')
        ?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
    });
    return () => cancelAnimationFrame(frame);
  }, [active]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = tabs.findIndex(({ key }) => key === active);
    const next = tabs[Math.min(tabs.length - 1, Math.max(0, from + step))];
    if (!next) return;
    onChange(next.key);
    row.current?.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus();
  };
  return (
    <>
      <div
        ref={row}
        role="tablist"
        aria-label={label}
        className={`tab-bar${within ? ' is-within' : ''}`}
        onKeyDown={move}
      >
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-${tab.key}`}
            data-tab={tab.key}
            aria-selected={tab.key === active}
            aria-controls={`${id}-panel`}
            tabIndex={tab.key === active ? 0 : -1}
            onClick={() => onChange(tab.key)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${active}`}>
        {children}
      </div>
    </>
  );
};
