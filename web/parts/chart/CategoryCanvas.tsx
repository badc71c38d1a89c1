import {
  type PointerEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { saveBlob } from '#web/api/download.ts';
import { useFormats } from '#web/i18n/format.ts';
import { drawnPercent, usePrefs } from '#web/theme/prefs.ts';
import { usePrinting } from '#web/theme/printing.ts';
import { type Scene, sceneOf } from './category-scene.ts';
import { type CanvasHandle, paperWidth } from './drawing.ts';
import { Legend } from './Legend.tsx';
import { colourOf, dashOf, type Look, lookOf } from './look.ts';
import type { CategoryModel } from './model.ts';
import { fontOf, type LegendSign, paint, paintLegend } from './paint.ts';
import { widthOf } from './text-width.ts';
import { type TooltipRow, tooltipOf } from './tooltip.ts';

const savedScale = 2;
interface Pointed {
  index: number;
  x: number;
  y: number;
}

/** The size of an element; when printed, at most the width of the paper. */
const useSizeOf = (box: { current: HTMLElement | null }) => {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // Asked here, the browser would lay out the page at once, for each chart. It reports the first size, too.
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  const printing = usePrinting();
  return printing ? { ...size, width: Math.min(paperWidth, size.width) } : size;
};

const useLook = () => {
  const scheme = usePrefs((prefs) => prefs.scheme);
  const textPercent = usePrefs(drawnPercent);
  return useMemo(() => lookOf(scheme, textPercent), [scheme, textPercent]);
};

const useSigns = (model: CategoryModel, look: Look, hidden: ReadonlySet<string>) =>
  model.series.map(({ key, name, tone: own, dash, shape = 'bar' }, place) => {
    const tone = own ?? place;
    return {
      key,
      name,
      hidden: hidden.has(key),
      colour: colourOf(look, tone),
      dash: shape === 'bar' ? undefined : (dash ?? dashOf(tone)),
    };
  });

/** The drawing of quantities by category, with its legend; a press on a category picks it. */
export const CategoryCanvas = ({
  ref,
  title,
  model,
  height,
  rowsOf,
  onPick,
}: {
  ref: Ref<CanvasHandle>;
  title: string;
  model: CategoryModel;
  height: number | string;
  /** The rows of the tooltip for a category. */
  rowsOf: (index: number, colour: (key: string) => string) => TooltipRow[];
  onPick?: ((index: number) => void) | undefined;
}) => {
  const formats = useFormats();
  const look = useLook();
  const box = useRef<HTMLDivElement>(null);
  const { width, height: inside } = useSizeOf(box);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const signs = useSigns(model, look, hidden);
  const measure = useMemo(() => measureIn(look), [look]);
  const scene = useMemo(
    () => sceneOf(model, { width, height: inside, look, formats, measure, hidden }),
    [model, width, inside, look, formats, measure, hidden],
  );
  // A live update may have removed the category under the pointer.
  const shown = pointed && pointed.index < model.labels.length ? pointed : null;
  const canvas = usePainted(scene, look, shown?.index ?? null);
  useImperativeHandle(ref, () => ({
    saveImage: (fileName) =>
      savePicture(fileName, { scene, look, signs: signs.filter((sign) => !sign.hidden) }),
  }));
  const placeOf = ({ clientX, clientY, currentTarget }: PointerEvent): Pointed | null => {
    const edge = currentTarget.getBoundingClientRect();
    const [x, y] = [clientX - edge.left, clientY - edge.top];
    const index = scene.indexAt(x, y);
    return index === null ? null : { index, x, y };
  };
  return (
    <div className="chart-drawing" style={{ height }}>
      {signs.length > 1 && (
        <Legend
          signs={signs}
          onToggle={(key) => setHidden((keys) => keys.symmetricDifference(new Set([key])))}
        />
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table of the same numbers is the way by keyboard */}
      <div
        ref={box}
        className="chart-canvas"
        role="img"
        aria-label={title}
        style={onPick && shown ? { cursor: 'pointer' } : {}}
        onPointerMove={(event) => setPointed(placeOf(event))}
        onPointerDown={(event) => setPointed(placeOf(event))}
        onPointerLeave={() => setPointed(null)}
        onClick={() => shown && onPick?.(shown.index)}
      >
        <canvas ref={canvas} style={{ width, height: inside }} />
        {shown && (
          <Tooltip
            at={shown}
            title={model.fullLabels?.[shown.index] ?? model.labels[shown.index] ?? ''}
            rows={rowsOf(shown.index, (key) => signs.find((sign) => sign.key === key)?.colour ?? '')}
          />
        )}
      </div>
    </div>
  );
};

/** Width of a text as the canvas draws it. */
const measureIn = (look: Look): ((text: string) => number) => {
  const brush = document.createElement('canvas').getContext('2d');
  if (!brush) return (text) => widthOf(text, look.fontSize);
  brush.font = fontOf(look);
  return (text) => brush.measureText(text).width;
};

/** The drawing below its legend, as a picture of twice its size. */
const savePicture = (
  fileName: string,
  { scene, signs, look }: { scene: Scene; signs: readonly LegendSign[]; look: Look },
): void => {
  const picture = document.createElement('canvas');
  const brush = picture.getContext('2d');
  if (!brush) return;
  const { width, height } = scene;
  const top = paintLegend(brush, signs, { look, width });
  picture.width = width * savedScale;
  picture.height = (top + height) * savedScale;
  brush.scale(savedScale, savedScale);
  brush.fillStyle = look.palette.surface;
  brush.fillRect(0, 0, width, top + height);
  paintLegend(brush, signs, { look, width });
  brush.translate(0, top);
  paint(brush, scene, look, null);
  picture.toBlob((blob) => blob && saveBlob(blob, fileName));
};

const usePainted = (scene: Scene, look: Look, index: number | null) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [ratio, setRatio] = useState(window.devicePixelRatio);
  // The pixel density changes when the page is zoomed or moved to another screen.
  useEffect(() => {
    const media = window.matchMedia(`(resolution: ${ratio}dppx)`);
    const follow = () => setRatio(window.devicePixelRatio);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, [ratio]);
  // Printing does not wait for the next frame, so it is drawn now.
  useLayoutEffect(() => {
    const surface = canvas.current;
    const brush = surface?.getContext('2d');
    if (!surface || !brush) return;
    surface.width = Math.round(scene.width * ratio);
    surface.height = Math.round(scene.height * ratio);
    brush.scale(ratio, ratio);
    paint(brush, scene, look, index === null ? null : scene.bandOf(index));
  }, [scene, look, index, ratio]);
  return canvas;
};

const beside = 14;
/** Beside the pointer, within the chart. */
const Tooltip = ({ at, title, rows }: { at: Pointed; title: string; rows: readonly TooltipRow[] }) => {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const room = element?.parentElement;
    if (!element || !room) return;
    element.replaceChildren(tooltipOf(title, rows));
    const right = at.x + beside + element.offsetWidth <= room.clientWidth;
    const left = right ? at.x + beside : Math.max(0, at.x - beside - element.offsetWidth);
    const top = Math.max(0, Math.min(at.y + beside, room.clientHeight - element.offsetHeight));
    element.style.translate = `${left}px ${top}px`;
  });
  return <div ref={box} className="chart-hover" />;
};
