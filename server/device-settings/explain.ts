import { deviceTypeWords } from '#contract/columns.ts';
import type { deviceSettingEndpoints } from '#contract/device-settings.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { channelName, channelUnit, parameterNames, roleMeanings } from '#contract/parameter-names.ts';
import { enablesOf, parametersOf } from '#contract/parameters.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { meaningOfEnable } from './view.ts';

type Explained = ReplyOf<typeof deviceSettingEndpoints.explain>;

/** Name, unit and purpose of every value of a device type. */
export const explainType = (type: DeviceType, language: Language): Explained => ({
  type,
  type_name: deviceTypeWords[type][language],
  variables: [
    ...lineChannels[type].map((channel, _, all) => ({
      kind: 'channel' as const,
      key: channel,
      name: channelName(channel, all, language),
      unit: channelUnit(channel),
      meaning: channelName(channel, all, language),
    })),
    ...(['device', 'line'] as const).flatMap((of) =>
      parametersOf(type, of).map((each) => ({
        kind: 'parameter' as const,
        key: each.key,
        name: parameterNames[each.key]![language],
        unit: each.unit,
        meaning: roleMeanings[each.role][language],
      })),
    ),
    ...enablesOf(type).map((each) => ({
      kind: 'enable' as const,
      key: each.key,
      name: parameterNames[each.key]![language],
      unit: '',
      meaning: meaningOfEnable(each.key, language),
    })),
  ],
});
