import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { pngOfColours } from '../images.ts';

/** Test machines have no graphics card. */
export const softwareWebGl = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

const tilePixels = 256;
type Colour = readonly [red: number, green: number, blue: number];
const signOf = (z: number, x: number, y: number): number => (x * 37 + y * 71 + z) % 256;
/** The colour of each point of a tile encodes its position: column, row, and a mark of the tile. */
export const tileOf = (z: number, x: number, y: number): Buffer =>
  pngOfColours(tilePixels, (column, row) => [column, row, signOf(z, x, y)]);
/** The colour of the tiles of a zoom level at a point. */
export const colourAt = ({ lat, lng }: { lat: number; lng: number }, zoom: number): Colour => {
  const world = tilePixels * 2 ** zoom;
  const x = ((lng + 180) / 360) * world;
  const y = ((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * world;
  return [
    Math.floor(x % tilePixels),
    Math.floor(y % tilePixels),
    signOf(zoom, Math.floor(x / tilePixels), Math.floor(y / tilePixels)),
  ];
};

/** The colour that the page shows at a point of its window. */
export const shownAt = async (page: Page, x: number, y: number): Promise<Colour> => {
  const picture = await page.screenshot({
    clip: { x: Math.round(x), y: Math.round(y), width: 1, height: 1 },
  });
  return page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const context = document.createElement('canvas').getContext('2d')!;
    context.drawImage(image, 0, 0);
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue] as const;
  }, picture.toString('base64'));
};
/** The distance between two colours, by the worst channel. */
export const distanceOf = (one: Colour, other: Colour): number =>
  Math.max(...one.map((value, channel) => Math.abs(value - other[channel]!)));

export const centreOf = async (locator: Locator): Promise<{ x: number; y: number }> => {
  const { x, y, width, height } = (await locator.boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
};

/** Starts a server on loopback; the returned function ends it. */
export const serveStub = async (
  listener: RequestListener,
): Promise<{ url: string; stop: () => Promise<void> }> => {
  const stub: Server = createServer(listener);
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(stub.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        stub.close(() => resolve());
        stub.closeAllConnections();
      }),
  };
};

/** Records violations of the content security policy, and the hosts that the page called. */
export const watched = (page: Page) => {
  const refused: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) refused.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url().startsWith('http')) hosts.add(new URL(request.url()).host);
  });
  return { refused, hosts };
};
