import type { GuidanceOfAll } from './advice.ts';

export const guidance: GuidanceOfAll = {
  101: {
    causes: [
      'Supply voltage too high (transformer tap, light load at night)',
      'Neutral broken or loose upstream',
    ],
    checks: [
      'Compare the phases: one high and another low points to the neutral',
      'Measure at the incoming supply and inform the grid operator',
    ],
  },
  102: {
    causes: ['Overloaded or very long supply cable', 'Loose terminal upstream', 'Fault in the grid'],
    checks: [
      'Compare with other devices at the site: if all are low, the supply is the cause',
      'Measure before and after the incoming switch under load',
    ],
  },
  103: {
    causes: ['Blown fuse or open pole upstream', 'Broken conductor or terminal of one phase'],
    checks: [
      'Check fuses and the incoming switch of the missing phase',
      'Switch three-phase motors off: they overheat on two phases',
    ],
  },
  104: {
    causes: ['Neutral conductor interrupted upstream', 'Neutral terminal burnt or loose'],
    checks: [
      'Disconnect single-phase loads: their voltage may reach 400 V',
      'Check the neutral at the incoming supply and the busbar',
    ],
  },
  105: {
    causes: ['Single-phase loads unevenly distributed', 'Loose neutral or phase terminal'],
    checks: ['Compare currents of the phases', 'Redistribute loads; check the neutral terminal'],
  },
  106: {
    causes: ['Operation on a generator or inverter', 'Disturbance in the grid'],
    checks: ['Is the site on its standby supply?', 'Check the governor of the generator'],
  },
  107: {
    causes: ['Start of a large motor', 'Short circuit elsewhere in the grid'],
    checks: [
      'Which load started at that time?',
      'Count the sags: repeated ones need a soft starter or the grid operator',
    ],
  },
  108: {
    causes: ['A large load was switched off', 'Capacitor switched, or a neutral problem'],
    checks: ['Which load stopped at that time?', 'Check the control of power-factor correction'],
  },
  109: {
    causes: ['Grid outage', 'Incoming switch tripped or opened'],
    checks: [
      'Are other devices at the site without supply too?',
      'Check the incoming switch before you call the grid operator',
    ],
  },
  110: {
    causes: ['Two phases swapped after work on the supply'],
    checks: [
      'Do not start motors: they would run backwards',
      'Check the phase sequence with a meter and swap two phases',
    ],
  },
  201: {
    causes: ['More or larger loads than the line is rated for', 'Blocked or failing motor'],
    checks: [
      'Compare the current with the rating and the cable',
      'Switch loads off before the protection trips; then find what was added',
    ],
  },
  202: {
    causes: ['Added loads', 'Contracted demand exceeded'],
    checks: ['See which line grew in the load statistics', 'Shift or switch off loads'],
  },
  203: {
    causes: ['Single-phase loads on one phase', 'Failed phase of a three-phase load'],
    checks: ['Compare currents of the phases', 'Check fuses and windings of three-phase loads'],
  },
  204: {
    causes: ['Third harmonics of electronic loads add up in the neutral', 'Uneven single-phase loads'],
    checks: [
      'Check the cross-section of the neutral',
      'Do not feel for heat by hand: use a thermal camera',
      'Consider a harmonic filter',
    ],
  },
  205: {
    causes: ['Insulation failure between conductors', 'Short circuit in a connected appliance'],
    checks: [
      'Do not close again until the cause is found',
      'Disconnect all loads and measure insulation',
      'Inspect contacts of the switch after a short circuit',
    ],
  },
  206: {
    causes: ['Lightly loaded motors or transformers', 'Power-factor correction failed'],
    checks: ['Check capacitor stages and their fuses', 'Compare with the load curve'],
  },
  207: {
    causes: ['Heater, cooker or battery charger that is not allowed here'],
    checks: [
      'Visit the room; the step in power shows what to look for',
      'Explain the fire risk and record the visit',
    ],
  },
  208: {
    causes: ['Quota of the period used up'],
    checks: ['Confirm the quota with its owner', 'Extend it or leave the line open, as agreed'],
  },
  301: {
    causes: [
      'Damaged or damp insulation',
      'Faulty appliance',
      'Neutral connected to earth downstream of the device',
    ],
    checks: [
      'Danger of electric shock and fire: do not close again until the cause is found',
      'Disconnect loads one by one until the value falls',
      'Measure insulation resistance of the cable',
    ],
  },
  302: {
    causes: ['Water ingress', 'An appliance with a fault was switched on'],
    checks: ['What was switched on or cleaned at that time?', 'Check outdoor sockets and wet rooms'],
  },
  303: {
    causes: ['Test circuit or residual-current transformer faulty'],
    checks: [
      'Repeat the test with the test button on the device',
      'Replace the device: until then there is no leakage protection',
    ],
  },
  304: {
    causes: ['Insulation ages, or moisture gets in slowly', 'Filters of more and more electronic loads'],
    checks: [
      'See the trend of the line on the device page: slope and days to the limit',
      'Measure insulation at the next planned shutdown, before the line trips',
    ],
  },
  401: {
    causes: ['Cable overloaded', 'Heat source or bundled cables'],
    checks: [
      'Reduce the load now',
      'Compare temperature with current: hot at low current means an external heat source',
      'Inspect the cable before you close again',
    ],
  },
  402: {
    causes: ['Loose or oxidised terminal', 'Worn contact'],
    checks: [
      'Reduce the load now',
      'De-energise, retighten to the specified torque',
      'Replace discoloured terminals',
    ],
  },
  403: {
    causes: ['Panel without ventilation', 'Several hot devices side by side'],
    checks: ['Check fans, filters and sunlight on the panel', 'Compare with neighbouring devices'],
  },
  404: {
    causes: ['Terminal is working loose', 'Sudden overload', 'Incipient fire'],
    checks: ['Send somebody to check immediately', 'Open the line if nobody can check'],
  },
  405: {
    causes: ['Terminal works loose under changing load', 'Contact oxidises or wears'],
    checks: [
      'See the trend of the line on the device page: temperature rise by week at the same current',
      'De-energise and retighten to the specified torque soon; compare with a thermal camera before and after',
    ],
  },
  501: {
    causes: ['Broken conductor, crushed cable', 'Loose plug or terminal'],
    checks: [
      'Fire risk: keep the line open until the arc is located',
      'Move plugs and cables one by one; look for scorch marks',
    ],
  },
  502: {
    causes: ['Damaged insulation between two conductors', 'Nail or screw in a cable'],
    checks: [
      'Fire risk: keep the line open until the arc is located',
      'Measure insulation between conductors with loads disconnected',
    ],
  },
  503: {
    causes: ['Arc detection of the device faulty'],
    checks: ['Repeat the self-test', 'Replace the device: until then arcs are not detected'],
  },
  504: {
    causes: ['A plug, terminal or switch sparks more and more', 'A cable is worn where it moves'],
    checks: [
      'See the arcs of each hour on the device page: at which hours, with which load?',
      'Look for worn plugs and scorch marks before they cause a fire',
    ],
  },
  601: {
    causes: ['Distorted grid voltage', 'Large converters nearby'],
    checks: ['Compare with the incoming supply', 'Check resonance with power-factor correction'],
  },
  602: {
    causes: ['Electronic loads: LED lighting, chargers, drives'],
    checks: [
      'Find the line with the highest distortion',
      'Check the load of the neutral',
      'Consider a filter',
    ],
  },
  603: {
    causes: ['Filter overloaded, ageing or switched off', 'Loads changed since it was set'],
    checks: ['Compare current before and after the filter', 'Check its temperature and its fuses'],
  },
  701: {
    causes: ['The device opened the line to protect it; the alarm type beside it shows why'],
    checks: ['Find and clear the cause first', 'Reset the trip, then close. A reset does not close the line'],
  },
  702: {
    causes: ['The cause returned after each automatic reclose'],
    checks: ['Do not force it: find the cause', 'Reset on the device or from here afterwards'],
  },
  703: {
    causes: [
      'Mechanism or contact stuck, contact welded',
      'Device locked locally',
      'Line carries current although reported open',
    ],
    checks: [
      'Treat the line as live; prove it dead before work',
      'Look at the device; operate it by hand if that is safe',
      'Replace a device with welded contacts',
    ],
  },
  704: {
    causes: ['Somebody moved the lever', 'Device acted by itself without reporting why'],
    checks: [
      'Ask on site who switched',
      'Are people working there? Apply a lock-out tag',
      'Check timers and auto-reclose in the device',
    ],
  },
  801: {
    causes: [
      'Supply of the device is gone',
      'Mobile network or router down',
      'Service of the SIM card ended',
    ],
    checks: [
      'Are other devices at the site offline too?',
      'Check signal history and the expiry of the SIM card',
      'The device still protects its lines, but you cannot monitor it',
    ],
  },
  802: {
    causes: ['Antenna loose or inside a metal panel', 'Poor coverage'],
    checks: ['Check the antenna', 'Move it outside the panel or change the mobile operator'],
  },
  803: {
    causes: ['Clock battery empty', 'Wrong time zone set'],
    checks: ['Set the clock from here', 'Until then timers stored in the device run at the wrong times'],
  },
  804: {
    causes: ['The device found a fault in itself'],
    checks: [
      'Read the code in the original message',
      'Restart once; replace the device if the fault returns',
    ],
  },
  805: {
    causes: ['Sensor wire broken, short-circuited or not plugged in'],
    checks: [
      'Check the plug and the wire of the named channel',
      'Until it is repaired, what this sensor monitors is not protected',
    ],
  },
  806: {
    causes: ['Data plan or service ends soon'],
    checks: ['Renew the service; enter the new date on the device page'],
  },
};
