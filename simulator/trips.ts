import { arcBreakSeconds } from './physics/arcs.ts';
import { stepTripDisc, type TripCurve } from './physics/trip.ts';
import type { View } from './rules.ts';

/**
 * Trip functions of one line; only types 3, 4 and 7 trip by themselves. Source: domain reference §1.3, §2.2.
 */
export const createTrips = () => {
  let disc = 0;
  let over = 0;
  let under = 0;
  let lost = 0;
  let arcing = 0;
  return {
    /** The code that makes the contacts open now, or null. */
    judge(
      view: View,
      elapsed: number,
      isEnabled: (protection: string) => boolean,
      curve: TripCurve,
    ): number | null {
      if (!view.closed || view.outage) {
        over = 0;
        under = 0;
        lost = 0;
        arcing = 0;
        disc = Math.max(0, disc - elapsed / 120);
        return null;
      }
      const { readings, type } = view;
      const current = Math.max(...readings.main.current);
      const short = Math.max(current, readings.arcAmperes) > 5 * view.rated;
      if (short) return 205;
      const leakageTrip = view.parameter('il_trip');
      if (isEnabled('prot_il') && leakageTrip > 0 && readings.leakage > leakageTrip) return 301;
      if (isEnabled('prot_arc') && type === 7) {
        if (readings.arcAmperes >= 75 && readings.arcs >= 8) return 502;
        arcing = readings.arcs >= view.parameter('arc_n') ? arcing + elapsed : 0;
        if (arcing >= arcBreakSeconds(current)) return 501;
      }
      if (isEnabled('prot_t') && Math.max(...readings.terminals) > view.parameter('tm_trip')) return 402;
      disc = stepTripDisc(
        disc,
        elapsed,
        curve,
        current / ((view.parameter('oc_trip') / 100) * view.rated),
        view.parameter('oc_t'),
      );
      if (isEnabled('prot_oc') && disc >= 1) {
        disc = 0;
        return 201;
      }
      if (view.neutralBroken || view.phaseLost) {
        lost += elapsed;
        if (isEnabled('prot_pl') && type === 4 && lost >= 3) return view.phaseLost ? 103 : 104;
        return null;
      }
      lost = 0;
      const overLimit = view.parameter('ov_trip');
      over = overLimit > 0 && Math.max(...readings.volts) > overLimit ? over + elapsed : 0;
      if (isEnabled('prot_ov') && over >= view.parameter('ov_t') && over > 0) return 101;
      const underLimit = type === 7 ? 0 : view.parameter('uv_trip');
      under = underLimit > 0 && Math.min(...readings.volts) < underLimit ? under + elapsed : 0;
      if (isEnabled('prot_uv') && under >= view.parameter('uv_t') && under > 0) return 102;
      return null;
    },
  };
};
export type Trips = ReturnType<typeof createTrips>;
