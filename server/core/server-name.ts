/** The server's name as an operator, for what no user asked for. */
export const serverName = 'Ampwatch';
