import { useRoom } from '#web/theme/use-room.ts';
import { Mark } from './Mark.tsx';
import './shell.css';

/** The places of the frame, shown while the screen is made ready. */
export const FirstFrame = () => {
  const wide = useRoom('sideMenu');
  return (
    <div className={`shell${wide ? '' : ' has-foot'}`} aria-busy="true">
      <div className="shell-bar">
        <span className="shell-name">
          <Mark />
          <span>Ampwatch</span>
        </span>
      </div>
      <div className="shell-body">{wide && <div className="shell-side" />}</div>
    </div>
  );
};
