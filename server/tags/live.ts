import type { Bus } from '#server/core/bus.ts';
import type { Live } from '#server/core/live.ts';

/** Tags for the consoles of users who may see their project; a due review goes only to the tag's owner. */
export const tagLive = ({ bus, live }: { bus: Bus; live: Live }): void => {
  bus.on('tag.changed', ({ tagId, kind, on, projectId, partId, ownerId }) =>
    live.send(
      'tag',
      {
        tag_id: tagId,
        kind,
        line_id: 'lineId' in on ? on.lineId : null,
        device_id: 'deviceId' in on ? on.deviceId : null,
        project_id: projectId,
      },
      { projectId, partId, ...(kind === 'review' ? { userIds: [ownerId] } : {}) },
    ),
  );
};
