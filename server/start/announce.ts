import { say } from './stack.ts';

export interface Facts {
  role: string;
  url: string | null;
  seconds: number;
  mqttPort: number;
  adminPassword: string | null;
  demoPassword: string | null;
  link: string | null;
}

/** Says where the server is and what is told only once. */
export const announce = (facts: Facts): void => {
  const after = `ready after ${facts.seconds.toFixed(1)} s`;
  say('');
  say(
    facts.url
      ? `Ampwatch is ${after}: ${facts.url}`
      : `Ampwatch is ${after}: this node has the role '${facts.role}'.`,
  );
  if (facts.mqttPort > 0) say(`Devices connect by MQTT to port ${facts.mqttPort}.`);
  if (facts.link) say(`Sign in once, within half an hour, without a password: ${facts.link}`);
  if (facts.adminPassword) say(`First account: admin, password ${facts.adminPassword} (shown this once).`);
  if (facts.demoPassword)
    say(`Demo accounts of the other roles share the password ${facts.demoPassword} (shown this once).`);
  say('Ctrl-C stops everything.');
};
