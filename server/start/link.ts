import { connectPool } from '#database/connect.ts';
import { createSurvey } from '#server/alarms/device-health.ts';
import { createAlarmRecorder } from '#server/alarms/engine/engine.ts';
import { listenForAlarms } from '#server/alarms/listen.ts';
import { type Link, startLink } from '#server/link/link.ts';
import { type Outbound, startOutbound } from '#server/link/outbound.ts';
import { begin, type NodeParts } from './node.ts';
import { portTaken } from './ports.ts';
import type { Tls } from './tls.ts';

const linkConnections = 6;

/** The device link, with alarm rules for its messages. */
export const openLink = async (
  { config, log, clock, stack, bus }: NodeParts,
  databaseUrl: string,
  tls: Tls | undefined,
): Promise<Link> => {
  // Separate connections, because slow work of the console must not delay acknowledgements.
  const pool = connectPool(databaseUrl, linkConnections);
  stack.add('connections of the link', () => pool.end());
  const recorder = createAlarmRecorder();
  await recorder.load(pool);
  stack.add(
    'alarms',
    listenForAlarms({
      bus,
      pool,
      clock,
      recorder,
      onError: (error) => log.error({ err: error }, 'alarms'),
    }),
  );
  const link = await startLink({
    pool,
    bus,
    clock,
    judge: recorder,
    takeOver: () => recorder.load(pool),
    log,
    config: {
      mqttHost: config.mqtt.host,
      mqttPort: config.mqtt.port,
      mqttUrl: config.mqttUrl,
      tls: tls && { port: config.mqtt.port === 0 ? 0 : config.mqtt.port + 7000, ...tls },
    },
  }).catch((error: unknown) => portTaken(error, 'MQTT_PORT', config.mqtt.port));
  stack.add('link', () => link.stop());
  return link;
};

/** Finds conditions that the state of devices shows but no message reports, such as a lasting weak link. */
export const beginSurvey = ({ log, clock, stack, db }: NodeParts, link: Link): Promise<void> =>
  begin(
    stack,
    'survey',
    createSurvey({
      db,
      clock,
      record: (finding) => link.record(finding),
      log,
    }),
  );

/** Sends messages to devices for a node that receives none. */
export const openOutbound = ({ config, log, stack }: NodeParts): Outbound => {
  if (config.mqttUrl === undefined) throw new Error('a node of one role has an external broker');
  const outbound = startOutbound(config.mqttUrl, log);
  stack.add('outbound', () => outbound.stop());
  return outbound;
};
