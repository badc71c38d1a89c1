import '#web/theme/forced-colors.css';
// It could not be loaded when it is needed: the server does not answer then.
import '#web/parts/NotCurrent.tsx';

export { FloodBanner } from '#web/features/popups/FloodBanner.tsx';
export { PopupQueue } from '#web/features/popups/PopupQueue.tsx';
export { SoundButton } from '#web/features/popups/SoundButton.tsx';
export { restoreLastState } from '../last-state/last-state.ts';
export { JobDoor } from './JobDoor.tsx';
export { OutboxDoor } from './OutboxDoor.tsx';
export { Upkeep } from './Upkeep.tsx';
