export { FloodBanner } from '../../features/popups/FloodBanner.tsx';
export { PopupQueue } from '../../features/popups/PopupQueue.tsx';
export { SoundButton } from '../../features/popups/SoundButton.tsx';
export { watchBack } from './back-closes.ts';
export { JobDoor } from './JobDoor.tsx';
export { OutboxDoor } from './OutboxDoor.tsx';
