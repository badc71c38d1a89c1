import { nothing } from './endpoint.ts';

/** What surrounds every screen of the console: as one call, so that a first view does not ask for each part. */
export const frameCall = {
  method: 'POST',
  path: '/index/frame',
  permission: 'signedIn',
  body: nothing,
} as const;

/** The call, with its body, that each part answers. Only these are asked again while the console is open. */
export const frameParts = {
  census: { path: '/index/census', body: {} },
  messages: { path: '/system_message/getMessageType', body: {} },
  flood: { path: '/device_warning/flood', body: {} },
  popups: { path: '/device_warning/bullet_frame', body: {} },
  jobs: { path: '/device_job/get_list', body: { running: true, limit: 3 } },
} as const;
export type FramePart = keyof typeof frameParts;
