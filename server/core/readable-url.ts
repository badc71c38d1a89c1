const escapes = /(?:%[\da-f]{2})+|%/gi;

/**
 * The address of a request with each escape that cannot be decoded taken literally, so that a broken address is routed
 * like any other unknown one: a browser gets the console's page, a program the fault.
 */
export const readableUrl = (url: string): string => {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  return path.replace(escapes, literalIfBroken) + url.slice(path.length);
};

const literalIfBroken = (encoded: string): string => {
  try {
    decodeURIComponent(encoded);
    return encoded;
  } catch {
    return encoded.replaceAll('%', '%25');
  }
};
