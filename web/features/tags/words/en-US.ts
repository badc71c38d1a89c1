export const tags = {
  title: 'Lock-out tags',
  one: 'Lock-out tag',
  none: 'No tag hangs here. Hang one while people work: nothing closes the line then, timers included.',
  show: { standing: 'Standing', all: 'Removed ones too' },
  removed: 'removed',
  reviewDue: 'review is due',
  nextReview: 'Look again at',
  reviewWhy: 'You are reminded then to look whether the work still goes on.',
  complement: 'A tag here complements the physical lock and never replaces one.',
  shut: 'Close',
  field: {
    on: { line: 'Line', device: 'Device', project: 'Project' },
    reason: 'Why',
    owner: 'Hung by',
    review: 'Review',
    photo: 'Photo',
    holding: 'May close by itself',
    removed: 'Removed',
  },
  holding_one:
    '{{count}} device still holds a closing timer or auto-reclose and asks nobody. Lock it by hand.',
  holding_other:
    '{{count}} devices still hold closing timers or auto-reclose and ask nobody. Lock them by hand.',
  set: {
    act: 'Hang a lock-out tag',
    onDevice: 'Hang on the device',
    onProject: 'Hang on the whole project',
    title: 'Hang a lock-out tag on {{name}}',
    text: 'While the tag stands, every closing is refused: from here, by one-key, by timers and by the interface.',
    done: 'The tag hangs. Nothing closes there now.',
    holding_one:
      'The tag hangs. {{count}} device held a closing timer or auto-reclose: it is told to rest it. If it is out of reach, lock it by hand.',
    holding_other:
      'The tag hangs. {{count}} devices held closing timers or auto-reclose: they are told to rest them. Lock by hand what is out of reach.',
    closing_one: 'The tag hangs, but {{count}} line may still be closed by a command sent before. Check it.',
    closing_other:
      'The tag hangs, but {{count}} lines may still be closed by commands sent before. Check them.',
  },
  remove: {
    act: 'Remove the tag',
    own: 'Remove it only when nobody works there any more. Afterwards the line can be closed again.',
    others:
      'This tag is not yours. Make sure that its owner is not working there; the removal is logged with your reason.',
    notYours: 'Only {{owner}} or an administrator removes this tag.',
    reason: 'Reason of the removal',
    reasonMissing: 'Enter the reason',
    password: 'Your password',
    passwordMissing: 'Enter the password',
    done: 'The tag was removed',
  },
};
