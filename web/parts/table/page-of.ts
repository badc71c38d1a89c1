/** A page of a list that the server sends whole, in the form in which `DataTable` takes an answer. */
export const pageOf = <Query extends object, Row>(
  query: Query,
  rows: readonly Row[] | undefined,
  { page, limit }: { page: number; limit: number },
) => {
  const from = (page - 1) * limit;
  return { ...query, data: rows && { list: rows.slice(from, from + limit), total: rows.length } };
};
