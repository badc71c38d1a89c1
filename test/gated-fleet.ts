import { type Clock, realClock } from '#simulator/clock.ts';
import { createFleet } from '#simulator/fleet.ts';
import { type Faults, healthy } from '#simulator/model.ts';

/** A device clock that can be stopped: planned work waits, and continues when the clock does. */
const stoppableClock = () => {
  let isStopped = false;
  let due: (() => void)[] = [];
  const clock: Clock = {
    now: realClock.now,
    after(ms, run) {
      let isCancelled = false;
      const act = () => {
        if (!isCancelled) run();
      };
      const cancel = realClock.after(ms, () => {
        if (isStopped) due.push(act);
        else act();
      });
      return () => {
        isCancelled = true;
        cancel();
      };
    },
  };
  return {
    clock,
    stop() {
      isStopped = true;
    },
    goOn() {
      isStopped = false;
      const late = due;
      due = [];
      for (const act of late) act();
    },
  };
};

/** The course of a device's update: what fails, and the state in which it stops until `goOn`. */
interface Plan {
  update?: Faults['update'];
  stopsIn?: string;
}

/**
 * Simulated switches that update their firmware and report over MQTT. Each stops when it is asked to update,
 * until it has a plan. So a test can end a server while exactly the chosen devices are in the middle of their
 * update.
 */
export const startGatedFleet = (port: number, devices: readonly { number: string; secret: string }[]) => {
  const units = new Map(
    devices.map(({ number, secret }) => {
      const { clock, stop, goOn } = stoppableClock();
      const commands = new Set<string>();
      let plan: Plan = { stopsIn: 'notified' };
      const fleet = createFleet({
        brokerUrl: `mqtt://127.0.0.1:${port}`,
        seed: number,
        clock,
        devices: [
          {
            number,
            secret,
            type: 3,
            lines: [{ n: 1, ratedCurrent: 40, switchable: true, load: 3, profile: 'office' }],
            nominalVoltage: 220,
            projectKey: 'one',
          },
        ],
        onSaid(_number, topic, payload) {
          if (!topic.endsWith('/ota')) return;
          const { id, st } = JSON.parse(payload) as { id: string; st: string };
          commands.add(id);
          if (st === plan.stopsIn) stop();
        },
      });
      fleet.start();
      const give = (given: Plan) => {
        plan = given;
        if (given.update) fleet.device(number).setFaults({ ...healthy, update: given.update });
        goOn();
      };
      return [number, { fleet, commands, goOn: () => give({}), give }] as const;
    }),
  );
  const of = (number: string) => units.get(number)!;
  const coreOf = (number: string) => of(number).fleet.device(number).core;
  return {
    plan: (number: string, plan: Plan) => of(number).give(plan),
    goOn: (number: string) => of(number).goOn(),
    firmwareOf: (number: string): string => coreOf(number).firmware,
    isUpdating: (number: string): boolean => coreOf(number).ota,
    /** Update commands that the device has reported. */
    updatesOf: (number: string): number => of(number).commands.size,
    async stop() {
      for (const { goOn } of units.values()) goOn();
      await Promise.all([...units.values()].map(({ fleet }) => fleet.stop()));
    },
  };
};
export type GatedFleet = ReturnType<typeof startGatedFleet>;
