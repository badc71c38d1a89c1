import type { Bar, Box, Label, Scene, Stroke } from './category-scene.ts';
import { type Dash, type Look, strokeScale } from './look.ts';

type Brush = CanvasRenderingContext2D;
const dashes: Record<Extract<Dash, string>, readonly number[]> = {
  solid: [],
  dashed: [6, 4],
  dotted: [2, 3],
};
const dashPattern = (dash: Dash): number[] => [...(typeof dash === 'string' ? dashes[dash] : dash)];
const dotRadius = 2.5;

const stroke = (brush: Brush, { points, colour, width, dash, opacity = 1 }: Stroke, scale = 1) => {
  brush.globalAlpha = opacity;
  brush.strokeStyle = colour;
  brush.lineWidth = width * scale;
  brush.setLineDash(dashPattern(dash).map((length) => length * scale));
  brush.beginPath();
  let down = false;
  for (const point of points) {
    if (point) brush[down ? 'lineTo' : 'moveTo'](...point);
    down = point !== null;
  }
  brush.stroke();
  brush.setLineDash([]);
  brush.globalAlpha = 1;
};
const fill = (brush: Brush, { x, y, width, height, fill: colour, border, opacity = 1 }: Bar) => {
  brush.globalAlpha = opacity;
  brush.fillStyle =
    typeof colour === 'string' ? colour : (brush.createPattern(colour.image, colour.repeat) ?? '');
  brush.fillRect(x, y, width, height);
  if (border !== undefined) {
    brush.strokeStyle = border;
    brush.lineWidth = 1;
    brush.strokeRect(x + 0.5, y + 0.5, Math.max(0, width - 1), Math.max(0, height - 1));
  }
  brush.globalAlpha = 1;
};
const write = (brush: Brush, { x, y, text, align, colour }: Label) => {
  brush.textAlign = align;
  brush.fillStyle = colour;
  brush.fillText(text, x, y);
};
export const fontOf = ({ fontSize, fontFamily }: Look): string => `${fontSize}px ${fontFamily}`;

/** Draws a scene; `pointed` is the part under the pointer. */
export const paint = (brush: Brush, scene: Scene, look: Look, pointed: Box | null): void => {
  brush.font = fontOf(look);
  brush.textBaseline = 'middle';
  brush.lineJoin = 'round';
  if (pointed) {
    brush.globalAlpha = 0.1;
    brush.fillStyle = look.palette.text;
    brush.fillRect(pointed.x, pointed.y, pointed.width, pointed.height);
    brush.globalAlpha = 1;
  }
  for (const each of scene.grid) stroke(brush, each);
  for (const bar of scene.bars) fill(brush, bar);
  const scale = strokeScale(look);
  for (const line of scene.lines) stroke(brush, line, scale);
  for (const { x, y, colour } of scene.dots) {
    brush.fillStyle = colour;
    brush.beginPath();
    brush.arc(x, y, dotRadius * scale, 0, 2 * Math.PI);
    brush.fill();
  }
  for (const label of scene.labels) write(brush, label);
};

export interface LegendSign {
  name: string;
  colour: string;
  /** The sign is a line with this dash pattern; absent: a bar. */
  dash?: Dash | undefined;
}
const signWidth = 26;
const signGap = 6;
const betweenSigns = 18;
/** Draws the legend of a saved picture in rows; returns their height. */
export const paintLegend = (
  brush: Brush,
  signs: readonly LegendSign[],
  { look, width }: { look: Look; width: number },
): number => {
  if (signs.length < 2) return 0;
  brush.font = fontOf(look);
  brush.textBaseline = 'middle';
  const row = 1.8 * look.fontSize;
  let [x, y] = [signGap, row / 2];
  for (const { name, colour, dash } of signs) {
    const wide = signWidth + signGap + brush.measureText(name).width;
    if (x + wide > width && x > signGap) [x, y] = [signGap, y + row];
    const box = { key: name, index: 0, x, y: y - 5, width: signWidth, height: 10, fill: colour };
    if (dash === undefined) fill(brush, box);
    else
      stroke(brush, {
        points: [
          [x, y],
          [x + signWidth, y],
        ],
        colour,
        width: 2,
        dash,
      });
    write(brush, {
      x: x + signWidth + signGap,
      y,
      text: name,
      align: 'left',
      colour: look.palette.textSoft,
    });
    x += wide + betweenSigns;
  }
  return y + row / 2;
};
