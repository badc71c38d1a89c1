/** Coordinate systems of street tiles. */
export const tileDatums = ['wgs84', 'gcj02'] as const;

export const exampleTileAddress = 'https://tiles.example.org/{z}/{x}/{y}.png';

const parts = /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d{1,5})?\/\S+$/i;

/**
 * Whether an address of street tiles can be used: with {z}, {x} and {y} after its host, and with a host that a
 * content security policy can name and nothing else (`;` and `,` would end a directive).
 */
export const isTileAddress = (address: string): boolean =>
  parts.test(address) && ['{z}', '{x}', '{y}'].every((part) => address.includes(part));

/** Whether such an address also uses TLS, so that nobody between server and browser can read or change the tiles. */
export const isSafeTileAddress = (address: string): boolean => {
  const [, scheme = '', host = ''] = parts.exec(address) ?? [];
  return (
    isTileAddress(address) &&
    (scheme.toLowerCase() === 'https' || ['localhost', '127.0.0.1'].includes(host.toLowerCase()))
  );
};
