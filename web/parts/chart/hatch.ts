const side = 8;
const made = new Map<string, HTMLCanvasElement>();

/** Diagonal stripes of a colour on a background, as a fill of the drawing library. */
export const hatched = (colour: string, ground: string) => {
  const key = `${colour} ${ground}`;
  const known = made.get(key);
  if (known) return { image: known, repeat: 'repeat' as const };
  const tile = document.createElement('canvas');
  tile.width = side;
  tile.height = side;
  const brush = tile.getContext('2d');
  if (brush) {
    brush.fillStyle = ground;
    brush.fillRect(0, 0, side, side);
    brush.strokeStyle = colour;
    brush.lineWidth = 2;
    brush.beginPath();
    for (const shift of [-side, 0, side]) {
      brush.moveTo(shift - 1, side + 1);
      brush.lineTo(shift + side + 1, -1);
    }
    brush.stroke();
  }
  made.set(key, tile);
  return { image: tile, repeat: 'repeat' as const };
};
