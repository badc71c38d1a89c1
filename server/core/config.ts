import { BlockList, isIP } from 'node:net';
import * as path from 'node:path';
import * as z from 'zod';
import { nodeRoles } from '#contract/health.ts';
import { mapProviders } from '#contract/session.ts';
import { exampleTileAddress, isTileAddress, tileDatums } from '#contract/tiles.ts';
import { StartError } from '#database/start-error.ts';

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.int().max(65_535));

const url = (...protocols: string[]) =>
  z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol.slice(0, -1) ?? ''));

const host = z.string().refine((text) => isIP(text) !== 0 || /^[a-z0-9.-]+$/i.test(text));

/** Origins for a content security policy; the first label of a host may be a wildcard. */
const hosts = z
  .string()
  .transform((text) => text.split(',').flatMap((each) => each.trim() || []))
  .pipe(z.array(z.string().regex(/^https?:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/i)).max(40));

const isAddress = (text: string): boolean => {
  const [address = '', bits] = text.split('/');
  if (bits === undefined) return isIP(address) !== 0;
  if (!/^\d+$/.test(bits)) return false;
  try {
    new BlockList().addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
    return true;
  } catch {
    return false;
  }
};

/**
 * Which proxies' X-Forwarded-* is trusted: none, the last n hops, or the named addresses. Never all of them: the
 * first address in the header is the caller's own text.
 */
const trustProxy = z.string().transform((text, context): false | number | string[] => {
  if (text === 'false') return false;
  if (text === 'true') return 1;
  if (/^\d+$/.test(text)) return Number(text) === 0 ? false : Number(text);
  const addresses = text.split(',').map((each) => each.trim());
  if (!addresses.every(isAddress)) context.addIssue('not an address');
  return addresses;
});

interface Variable {
  schema: z.ZodType<unknown, string | undefined>;
  /** Completes the error sentence '<NAME> must be …'. */
  must: string;
}
const variable = <T>(schema: z.ZodType<T, string | undefined>, must: string) => ({ schema, must });

const variables = {
  PORT: variable(port.prefault('8080'), 'a port from 0 to 65535 (0: any free one)'),
  HOST: variable(
    host.default('127.0.0.1'),
    'an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0',
  ),
  MQTT_PORT: variable(port.prefault('1883'), 'a port from 0 to 65535 (0: any free one)'),
  MQTT_HOST: variable(
    host.default('127.0.0.1'),
    'an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0',
  ),
  DATA_DIR: variable(
    z
      .string()
      .default('./data')
      .transform((text) => path.resolve(text)),
    'a folder',
  ),
  DATABASE_URL: variable(
    url('postgres', 'postgresql').optional(),
    'a PostgreSQL address such as postgresql://user:password@host:5432/ampwatch',
  ),
  DATABASE_APP_URL: variable(
    url('postgres', 'postgresql').optional(),
    'the address of DATABASE_URL with a role that owns nothing, such as postgresql://ampwatch_app:password@host:5432/ampwatch',
  ),
  MQTT_URL: variable(
    url('mqtt', 'mqtts', 'ws', 'wss').optional(),
    'an MQTT broker’s address such as mqtts://user:password@host:8883',
  ),
  ADMIN_PASSWORD: variable(z.string().min(6).max(64).optional(), '6 to 64 characters long'),
  DEMO: variable(z.enum(['0', '1']).optional(), '0 or 1'),
  CAPTCHA: variable(z.enum(['on', 'off']).default('on'), 'on or off'),
  ROLE: variable(z.enum(nodeRoles).default('all'), 'all, web, link or jobs'),
  PUBLIC_URL: variable(
    url('http', 'https')
      .transform((text) => text.replace(/\/+$/, ''))
      .optional(),
    'the console’s address as its users type it, such as https://ampwatch.example.org',
  ),
  TRUST_PROXY: variable(
    trustProxy.prefault('false'),
    'false, true (one proxy), a number of proxies, or the proxies’ addresses separated by commas',
  ),
  TLS_CERT: variable(z.string().optional(), 'a file with the certificate chain (PEM)'),
  TLS_KEY: variable(z.string().optional(), 'a file with the private key (PEM)'),
  MAP_TILE_URL: variable(
    z.string().refine(isTileAddress).optional(),
    `a tile address with {z}, {x} and {y}, such as ${exampleTileAddress}`,
  ),
  MAP_TILE_CRS: variable(z.enum(tileDatums).default('wgs84'), 'wgs84 or gcj02'),
  MAP_TILE_ATTRIBUTION: variable(z.string().optional(), 'a line of text'),
  MAP_SCRIPT_URL: variable(
    z
      .string()
      .regex(/^https?:\/\/[^\s{}/]+\/\S+$/)
      .refine((address) => address.includes('{callback}'))
      .optional(),
    'a script address with {callback}, such as https://maps.example.org/api?key=KEY&callback={callback}',
  ),
  MAP_SCRIPT_PROVIDER: variable(z.enum(mapProviders).optional(), 'amap, baidu or google'),
  MAP_SCRIPT_HOSTS: variable(
    hosts.prefault(''),
    'origins separated by commas, such as https://*.example.org, https://tiles.example.com',
  ),
  MAP_SCRIPT_EVAL: variable(
    z
      .enum(['0', '1'])
      .default('0')
      .transform((value) => value === '1'),
    '0 or 1',
  ),
  MAP_SCRIPT_SECURITY: variable(
    z.string().regex(/^\S+$/).optional(),
    'AMap’s security code, or the address of the proxy that adds it',
  ),
  METRICS_TOKEN: variable(z.string().min(16).optional(), 'at least 16 characters long'),
  LOG_LEVEL: variable(
    z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).optional(),
    'silent, fatal, error, warn, info, debug or trace',
  ),
} satisfies Record<string, Variable>;

/** Variables whose value may contain a password: error messages do not show it. */
const isSecret = (name: string): boolean =>
  ['ADMIN_PASSWORD', 'METRICS_TOKEN', 'MAP_SCRIPT_SECURITY'].includes(name) || name.endsWith('_URL');

type Values = { [Name in keyof typeof variables]: z.output<(typeof variables)[Name]['schema']> };

export interface Config {
  http: { port: number; host: string };
  mqtt: { port: number; host: string };
  /** Absolute. */
  dataDir: string;
  /** Unset: the embedded database. */
  databaseUrl: string | undefined;
  /** The connection for the server's work after migrating; unset: `databaseUrl`. */
  databaseAppUrl: string | undefined;
  /** Unset: the embedded broker. */
  mqttUrl: string | undefined;
  adminPassword: string | undefined;
  /** Unset: make the demo estate if the database is empty. */
  demo: boolean | undefined;
  captcha: boolean;
  role: Values['ROLE'];
  publicUrl: string | undefined;
  trustProxy: false | number | string[];
  /** Allows other machines to read `/metrics`. */
  metricsToken: string | undefined;
  /** Unset: info, or warn on a terminal. */
  logLevel: Values['LOG_LEVEL'];
  /** Paths of PEM files. */
  tls: { certFile: string; keyFile: string } | undefined;
  map: {
    tileUrl: string | undefined;
    tileCrs: Values['MAP_TILE_CRS'];
    tileAttribution: string | undefined;
    /** A provider's script with callback; unset: none is loaded. */
    script:
      | {
          url: string;
          provider: (typeof mapProviders)[number];
          /** Further origins that the script loads from. */
          hosts: readonly string[];
          /** Whether the script may compile scripts from text. */
          eval: boolean;
          security: string | undefined;
        }
      | undefined;
  };
}

const scriptOf = (values: Values): Config['map']['script'] => {
  const { MAP_SCRIPT_URL: url, MAP_SCRIPT_PROVIDER: provider } = values;
  if ((url === undefined) !== (provider === undefined))
    throw new StartError(
      `${url ? 'MAP_SCRIPT_PROVIDER' : 'MAP_SCRIPT_URL'} must be set too: a map script needs its address and its provider.`,
    );
  return url && provider
    ? {
        url,
        provider,
        hosts: values.MAP_SCRIPT_HOSTS,
        eval: values.MAP_SCRIPT_EVAL,
        security: values.MAP_SCRIPT_SECURITY,
      }
    : undefined;
};

/**
 * The whole configuration, from environment variables; an empty one counts as unset.
 * Throws StartError with one sentence that names the variable.
 */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const values = Object.fromEntries(
    Object.entries(variables).map(([name, { schema, must }]) => {
      const text = environment[name]?.trim() || undefined;
      const result = schema.safeParse(text);
      const shown = isSecret(name) ? '' : `, not '${text}'`;
      if (!result.success) throw new StartError(`${name} must be ${must}${shown}.`);
      return [name, result.data];
    }),
  ) as Values;

  const { TLS_CERT, TLS_KEY, ROLE, DATABASE_URL } = values;
  if ((TLS_CERT === undefined) !== (TLS_KEY === undefined))
    throw new StartError(
      `${TLS_CERT ? 'TLS_KEY' : 'TLS_CERT'} must be set too: TLS needs the certificate and its key.`,
    );
  if (values.DATABASE_APP_URL && !DATABASE_URL)
    throw new StartError(
      'DATABASE_APP_URL needs DATABASE_URL too: that role owns the tables and migrates them.',
    );
  if (ROLE !== 'all' && !DATABASE_URL)
    throw new StartError(
      `ROLE=${ROLE} needs DATABASE_URL: the embedded database serves one process only, which must be ROLE=all.`,
    );
  if (ROLE !== 'all' && !values.MQTT_URL)
    throw new StartError(
      `ROLE=${ROLE} needs MQTT_URL: only an MQTT broker of its own is reached by devices and all nodes alike.`,
    );
  return {
    http: { port: values.PORT, host: values.HOST },
    mqtt: { port: values.MQTT_PORT, host: values.MQTT_HOST },
    dataDir: values.DATA_DIR,
    databaseUrl: DATABASE_URL,
    databaseAppUrl: values.DATABASE_APP_URL,
    mqttUrl: values.MQTT_URL,
    adminPassword: values.ADMIN_PASSWORD,
    demo: values.DEMO === undefined ? undefined : values.DEMO === '1',
    captcha: values.CAPTCHA === 'on',
    role: ROLE,
    publicUrl: values.PUBLIC_URL,
    trustProxy: values.TRUST_PROXY,
    tls: TLS_CERT && TLS_KEY ? { certFile: TLS_CERT, keyFile: TLS_KEY } : undefined,
    metricsToken: values.METRICS_TOKEN,
    logLevel: values.LOG_LEVEL,
    map: {
      tileUrl: values.MAP_TILE_URL,
      tileCrs: values.MAP_TILE_CRS,
      tileAttribution: values.MAP_TILE_ATTRIBUTION,
      script: scriptOf(values),
    },
  };
};
