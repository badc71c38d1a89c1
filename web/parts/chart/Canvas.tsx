import type { EChartsCoreOption } from 'echarts/core';
import { type EffectCallback, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '#web/api/download.ts';
import { drawnPercent, usePrefs } from '#web/theme/prefs.ts';
import { isPrinting, usePrinting } from '#web/theme/printing.ts';
import { type CanvasHandle, paperWidth } from './drawing.ts';
import type { Engine } from './engine.ts';
import { type Look, lookOf } from './look.ts';

interface CanvasProps {
  ref?: Ref<CanvasHandle>;
  title: string;
  option: (look: Look) => EChartsCoreOption;
  height: number | string;
  /** Runs with the engine once it exists; the returned function runs before the engine is removed. */
  onReady?: (engine: Engine) => ReturnType<EffectCallback>;
}

const hasOtherSize = (engine: Engine): boolean => {
  const { clientWidth, clientHeight } = engine.getDom();
  return clientWidth !== engine.getWidth() || clientHeight !== engine.getHeight();
};

/** The drawing surface of a chart over time; the library comes only when one is shown. */
export const Canvas = ({ ref, title, option, height, onReady }: CanvasProps) => {
  const { i18n } = useTranslation();
  const scheme = usePrefs((prefs) => prefs.scheme);
  const textPercent = usePrefs(drawnPercent);
  const box = useRef<HTMLDivElement>(null);
  const [engine, setEngine] = useState<Engine | null>(null);

  useEffect(() => {
    let made: Engine | null = null;
    let gone = false;
    let observer: ResizeObserver | null = null;
    let letGo: ReturnType<EffectCallback>;
    void import('./engine.ts').then(({ init }) => {
      if (gone || !box.current) return;
      made = init(box.current, null, { renderer: 'canvas', locale: i18n.language });
      // It also reports the size that the engine has from the beginning. The engine draws everything for each resize.
      observer = new ResizeObserver(() => made && hasOtherSize(made) && made.resize());
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
    // Printing does not wait for the next frame, so it is drawn now.
    const atOnce = isPrinting();
    engine?.setOption(option(lookOf(scheme, textPercent)), { notMerge: true, lazyUpdate: !atOnce });
    if (atOnce) engine?.getZr().flush();
  }, [engine, option, scheme, textPercent]);

  const printing = usePrinting();
  useEffect(() => {
    if (!engine || !box.current || !printing) return;
    engine.resize({ width: Math.min(paperWidth, box.current.clientWidth) });
    engine.getZr().flush();
    return () => {
      if (!engine.isDisposed()) engine.resize();
    };
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
