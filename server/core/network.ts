/**
 * The network whose attempts are counted together: an IPv4 address, or the /64 prefix of an IPv6 subscriber.
 */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [left = '', right] = address.split('::');
  const head = left.split(':').filter((group) => group !== '');
  const tail = (right ?? '').split(':').filter((group) => group !== '');
  const middle = right === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  return `${[...head, ...middle, ...tail].slice(0, 4).join(':')}::/64`;
};
