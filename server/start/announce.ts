import type { Config } from '#server/core/config.ts';
import { say } from './stack.ts';

interface Facts {
  role: string;
  url: string | null;
  seconds: number;
  mqttPort: number;
  adminPassword: string | null;
  demoPassword: string | null;
  link: string | null;
  warnings: readonly string[];
}

/** Prints the server's address and secrets that are shown only once. */
export const announce = (facts: Facts): void => {
  const after = `ready after ${facts.seconds.toFixed(1)} s`;
  say('');
  say(
    facts.url
      ? `Ampwatch is ${after}: ${facts.url}`
      : `Ampwatch is ${after}: this node has the role '${facts.role}'.`,
  );
  if (facts.mqttPort > 0) say(`Devices connect by MQTT to port ${facts.mqttPort}.`);
  for (const warning of facts.warnings) say(`Warning: ${warning}`);
  if (facts.link) say(`Sign in once, within half an hour, without a password: ${facts.link}`);
  if (facts.adminPassword) say(`First account: admin, password ${facts.adminPassword} (shown this once).`);
  if (facts.demoPassword)
    say(`Demo accounts of the other roles share the password ${facts.demoPassword} (shown this once).`);
  say('Ctrl-C stops everything.');
};

const isLocal = (host: string): boolean => ['127.0.0.1', '::1', 'localhost'].includes(host);

/** Unsafe parts of the configuration if the server is reachable from other machines. */
export const warningsOf = ({
  http,
  mqtt,
  tls,
  publicUrl,
  trustProxy,
  captcha,
  databaseUrl,
  databaseAppUrl,
}: Pick<
  Config,
  'http' | 'mqtt' | 'tls' | 'publicUrl' | 'trustProxy' | 'captcha' | 'databaseUrl' | 'databaseAppUrl'
>): string[] => [
  ...(databaseUrl !== undefined && databaseAppUrl === undefined
    ? [
        'the server works as the role of DATABASE_URL, which may change everything, the operation log too: set DATABASE_APP_URL (docs/OPERATING.md).',
      ]
    : []),
  ...(isLocal(http.host) || tls || publicUrl?.startsWith('https:')
    ? []
    : [
        `HOST=${http.host} serves other machines without TLS, so passwords can be read on the way: set TLS_CERT and TLS_KEY, or PUBLIC_URL=https://… behind a proxy with TLS.`,
      ]),
  ...(isLocal(mqtt.host) || tls
    ? []
    : [
        `MQTT_HOST=${mqtt.host} takes devices of other machines without TLS, so their secrets can be read on the way: set TLS_CERT and TLS_KEY.`,
      ]),
  ...(isLocal(http.host) || typeof trustProxy !== 'number'
    ? []
    : [
        `TRUST_PROXY counts proxies, and HOST=${http.host} lets other machines go round them and claim any address: let only the proxy reach the port, or set TRUST_PROXY to the addresses of the proxies.`,
      ]),
  ...(captcha ? [] : ['CAPTCHA=off lets programs guess passwords: it is meant for tests only.']),
];
