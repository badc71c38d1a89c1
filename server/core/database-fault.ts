/** `content`: a row of the group is invalid; `conflict`: retry at once; `away`: wait for the database. */
type DatabaseFault = 'content' | 'conflict' | 'away';

/**
 * What to do after a failed transaction, by SQLSTATE; errors of the product's own code count as content, not
 * as database errors.
 */
export const faultOf = (error: unknown): DatabaseFault => {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
    return 'content';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === '40001' || code === '40P01' || code === '55P03') return 'conflict';
  return /^(22|23)[0-9A-Z]{3}$/.test(code) ? 'content' : 'away';
};
