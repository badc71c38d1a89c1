import type { EChartsCoreOption } from 'echarts/core';
import { type EffectCallback, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '../../api/download.ts';
import { drawnPercent, usePrefs } from '../../theme/prefs.ts';
import { isPrinting, usePrinting } from '../../theme/printing.ts';
import type { Engine } from './engine.ts';
import { type Look, lookOf } from './look.ts';

export interface CanvasHandle {
  saveImage(fileName: string): void;
}
export interface CanvasProps {
  ref?: Ref<CanvasHandle>;
  title: string;
  option: (look: Look) => EChartsCoreOption;
  height: number | string;
  onPick?: (picked: { name: string; data: unknown; index: number }) => void;
  /** Runs with the engine once it is there; what it answers runs before the engine goes. */
  onReady?: (engine: Engine) => ReturnType<EffectCallback>;
}

/** Between the margins of A4 and of Letter, in pixels. */
const paperWidth = 660;

/** The drawing surface of a chart; the library comes only when one is shown. */
export const Canvas = ({ ref, title, option, height, onPick, onReady }: CanvasProps) => {
  const { i18n } = useTranslation();
  const scheme = usePrefs((prefs) => prefs.scheme);
  const textPercent = usePrefs(drawnPercent);
  const box = useRef<HTMLDivElement>(null);
  const [engine, setEngine] = useState<Engine | null>(null);
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });

  useEffect(() => {
    let made: Engine | null = null;
    let gone = false;
    let observer: ResizeObserver | null = null;
    let letGo: ReturnType<EffectCallback>;
    void import('./engine.ts').then(({ init }) => {
      if (gone || !box.current) return;
      made = init(box.current, null, { renderer: 'canvas', locale: i18n.language });
      made.on('click', ({ name, data, dataIndex }) => pick.current?.({ name, data, index: dataIndex ?? 0 }));
      observer = new ResizeObserver(() => made?.resize());
      observer.observe(box.current);
      letGo = onReady?.(made);
      setEngine(made);
    });
    return () => {
      gone = true;
      observer?.disconnect();
      letGo?.();
      made?.dispose();
      setEngine(null);
    };
  }, [i18n.language, onReady]);

  useEffect(() => {
    // Paper does not wait for the next frame.
    const atOnce = isPrinting();
    engine?.setOption(option(lookOf(scheme, textPercent)), { notMerge: true, lazyUpdate: !atOnce });
    if (atOnce) engine?.getZr().flush();
  }, [engine, option, scheme, textPercent]);

  const printing = usePrinting();
  useEffect(() => {
    if (!engine || !box.current) return;
    engine.resize(printing ? { width: Math.min(paperWidth, box.current.clientWidth) } : {});
    if (printing) engine.getZr().flush();
  }, [engine, printing]);

  useImperativeHandle(ref, () => ({
    saveImage: (fileName) => {
      if (!engine) return;
      const background = lookOf(scheme, textPercent).palette.surface;
      const address = engine.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: background });
      const binary = atob(address.slice(address.indexOf(',') + 1));
      const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
      saveBlob(new Blob([bytes], { type: 'image/png' }), fileName);
    },
  }));
  return <div ref={box} className="chart-canvas" style={{ height }} role="img" aria-label={title} />;
};
