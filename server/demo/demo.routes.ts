import { demoEndpoints } from '#contract/demo.ts';
import { fault } from '#server/core/fault.ts';
import type { Serve } from '#server/core/serve.ts';
import { demoStore } from './demo.store.ts';
import { type Demo, DemoAway, DemoRefusal } from './simulation.ts';

/** Calls for the simulated devices; `demoRun` returns the running simulation, or null. */
export const demoRoutes = (serve: Serve, demoRun: () => Demo | null): void => {
  const ask = async <Result>(order: (demo: Demo) => Promise<Result>): Promise<Result> => {
    try {
      return await order(demoRun() ?? fault('demo.away'));
    } catch (error) {
      if (error instanceof DemoAway) fault('demo.away');
      if (error instanceof DemoRefusal) fault('demo.unfit');
      throw error;
    }
  };

  serve(demoEndpoints.scenes, async ({ db, caller, body: { device_id } }) => {
    const store = demoStore(db);
    const device = device_id === undefined ? null : await store.device(caller.scope, device_id);
    const { list, playing } = await ask((demo) =>
      demo.scenes(device?.number ?? null).catch((error) => {
        // A device without a simulation has no scenes: that is an answer, not an error of the caller.
        if (error instanceof DemoRefusal) return { list: [], playing: [] };
        throw error;
      }),
    );
    const ids = await store.idsOf(
      caller.scope,
      playing.map((each) => each.number),
    );
    return {
      list,
      playing: playing.flatMap(({ number, scene }) => {
        const id = ids.get(number);
        return id === undefined ? [] : [{ device_id: id, number, scene }];
      }),
    };
  });
  serve(demoEndpoints.play, async ({ db, caller, body: { device_id, scene, line_id }, note }) => {
    const store = demoStore(db);
    const { number, projectId } = await store.device(caller.scope, device_id);
    const line = line_id === undefined ? null : await store.line(device_id, line_id);
    note({ deviceId: device_id, projectId });
    await ask((demo) => demo.play(number, scene, line));
    return {};
  });
  serve(demoEndpoints.stop, async ({ db, caller, body: { device_id }, note }) => {
    const { number, projectId } = await demoStore(db).device(caller.scope, device_id);
    note({ deviceId: device_id, projectId });
    await ask((demo) => demo.stop(number));
    return {};
  });
};
