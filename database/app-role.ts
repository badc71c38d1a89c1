import pg from 'pg';
import { StartError } from './start-error.ts';

/** The role of the server on the embedded database. */
export const embeddedAppRole = 'ampwatch_app';

/** Tables that the application may only read: it appends to the log through functions, and never migrates. */
const readOnly = ['operation_log', 'operation_log_head', 'migrations'];
const functions = ['make_partition(text, date)', 'lock_operation_log()', 'append_operation_log(jsonb)'];

/** Creates the role without any permission if it is missing. Runs as a superuser. */
export const ensureRole = async (client: pg.ClientBase, role: string): Promise<void> => {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
  if (rowCount) return;
  await client.query(
    `create role ${pg.escapeIdentifier(role)} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls`,
  );
};

/**
 * Grants the role what the server needs and nothing else: rows of every table, accessed through the parent
 * tables of partitions. Runs as the owner after each migration, because new tables grant nothing by
 * themselves.
 */
export const grantToApp = async (client: pg.ClientBase, role: string): Promise<void> => {
  const { rows } = await client.query<{ name: string; grant: string }>(
    `select c.relname as name,
       case when c.relname = any($2) then 'select' else 'select, insert, update, delete' end as "grant"
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
       and pg_has_role(current_user, c.relowner, 'member')
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
       and (not has_table_privilege($1, c.oid, 'select')
         or has_table_privilege($1, c.oid, 'delete') = (c.relname = any($2)))
     order by 1`,
    [role, readOnly],
  );
  const to = pg.escapeIdentifier(role);
  for (const { name, grant } of rows) {
    const table = pg.escapeIdentifier(name);
    await client.query(`revoke all on ${table} from ${to}`);
    await client.query(`grant ${grant} on ${table} to ${to}`);
  }
  await client.query(`grant usage on schema public to ${to}`);
  await client.query(`grant usage, select on all sequences in schema public to ${to}`);
  await client.query(`grant execute on function ${functions.join(', ')} to ${to}`);
};

/** Throws StartError if the role of `url` has more rights than the application may have. */
export const checkAppRole = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; powerful: boolean; owner: boolean }>(
      `select current_user as name,
         rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as powerful,
         exists (select from pg_class where relname = 'operation_log' and relnamespace = 'public'::regnamespace
           and pg_has_role(current_user, relowner, 'member')) as owner
       from pg_roles where rolname = current_user`,
    );
    const role = rows[0];
    if (role?.powerful || role?.owner)
      throw new StartError(
        `DATABASE_APP_URL must name a role that owns nothing and may make neither roles nor databases: '${role.name}' ${role.owner ? 'owns the tables' : 'is more powerful'}. docs/OPERATING.md says how to make one.`,
      );
  } finally {
    await client.end();
  }
};
