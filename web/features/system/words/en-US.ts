export const system = {
  title: 'System',
  denied: 'Only a platform administrator may see this page.',
  tab: {
    health: 'Health',
    jobs: 'Scheduled jobs',
    settings: 'Settings',
  },
  health: {
    well: 'No problems.',
    since: 'Since',
    node: 'Node',
    role: 'Role',
    roles: { all: 'everything', web: 'web', link: 'device link', jobs: 'scheduled jobs' },
    seen: 'Last report',
    started: 'Started',
    rate: 'Messages per second',
    delay: 'Receipt to acknowledgement',
    waiting: 'Messages waiting',
    devices: 'Device connections',
    consoles: 'Consoles signed in',
    memory: 'Memory',
    loop: 'Event loop delay',
    disk: 'Disk: free / total',
    database: 'Database',
    answer: 'Answer time',
    size: 'Size',
    connections: 'Connections: used / allowed',
    migration: 'Schema',
    version: 'Ampwatch',
    work: 'Work and backups',
    through: 'Statistics up to',
    hours: 'Hours to recalculate',
    queued: 'Notifications due',
    failed: 'Notifications failed in 24 h',
    commands: 'Commands under way',
    backup: 'Last backup',
    drill: 'Last restore drill',
  },
  jobs: {
    name: 'Job',
    last: 'Last run',
    result: 'Result',
    ended: 'Ended',
    duration: 'Duration',
    next: 'Next run',
    failures: 'Failures in a row',
    run: 'Run now',
    asked: '{{name}} starts in a moment',
    empty: 'No node that runs jobs has started yet.',
    state: {
      idle: 'Idle',
      running: 'Running',
      asked: 'Starting',
      never: 'Never ran',
      done: 'Succeeded',
      failed: 'Failed',
      lost: 'Interrupted',
    },
    counted: {
      made: 'created',
      changed: 'updated',
      removed: 'deleted',
      checked: 'found',
    },
  },
  settings: {
    on: 'On',
    off: 'Off',
    none: 'None',
    byVariable: 'Set by the variable {{variable}} when the server starts.',
    change: 'Change',
    changeNamed: 'Change “{{name}}”',
    changed: 'Changed by {{name}}',
    standard: 'Default',
    range: 'from {{min}} to {{max}}',
    history: 'Changes',
    never: 'Never changed.',
    saved: '“{{name}}” is saved',
    shorten: 'Shorten “{{name}}”?',
    shortenText:
      'Data older than {{value}} is deleted within six hours and cannot be brought back except from a backup.',
    shortenAct: 'Shorten',
    elsewhere: {
      title: 'Set on other pages',
      wechat: {
        name: 'WeChat and webhooks',
        meaning:
          'Account, secret, template, and whether webhooks may reach private networks. “Channels” on the page of notification rules.',
      },
      sms: {
        name: 'SMS gateway',
        meaning: 'Address and token by which sign-in codes are sent. “SMS gateway” on the page of users.',
      },
      backup: {
        name: 'Backups and restore drills',
        meaning: 'When, how many are kept, and the passphrase. “Schedule” on the page of the database.',
      },
      tariffs: {
        name: 'Tariffs',
        meaning: 'Prices by time of day, of the installation and of single projects.',
      },
      limits: {
        name: 'Default alarm limits',
        meaning: 'Limits that apply if a project or line has none of its own.',
      },
      fireCentre: {
        name: 'Fire centre',
        meaning:
          'Alarms reach a fire centre or its receiver by a webhook: a rule with the alarm types that it wants. This product is not a certified fire alarm device and does not replace one.',
      },
      mapScript: {
        name: 'Maps provider’s script',
        meaning:
          'The script of AMap, Baidu or Google is set only by the server’s variables MAP_SCRIPT_… (docs/OPERATING.md): it runs with the permissions of the signed-in user.',
      },
    },
    group: {
      session: 'Sign-in and console',
      control: 'Control',
      retention: 'Retention',
      map: 'Map',
    },
    choice: {
      wgs84: 'WGS-84',
      gcj02: 'GCJ-02 (street maps of China)',
      classic: '6 to 12 letters and digits',
      strong: '8 to 64 characters, no common password',
      never: 'After no trip',
      grave: 'After dangerous trips',
      any: 'After every trip',
      eleven: '11 digits',
      e164: '8 to 15 digits with the country code (E.164)',
    },
    words: {
      session_singleSession: {
        name: 'One session per account',
        meaning: 'Signing in ends the account’s other sessions.',
      },
      session_passwordPolicy: {
        name: 'Password rule',
        meaning: 'Applies when a password is set; existing passwords stay valid.',
      },
      session_phoneFormat: {
        name: 'Phone numbers',
        meaning: 'How new phone numbers are checked; stored numbers do not change.',
      },
      session_freshMinutes: {
        name: 'Ask for the password again after',
        meaning: 'Closing a line asks for the password when it was last given longer ago than this.',
      },
      session_blockZoom: {
        name: 'Block browser zoom',
        meaning: 'The console blocks the browser’s zoom shortcuts; text size is set in the user menu.',
      },
      control_switchExpiryS: {
        name: 'Switching commands expire after',
        meaning: 'How long an open or close command may wait for the device’s answer.',
      },
      control_otherExpiryS: {
        name: 'Other commands expire after',
        meaning: 'How long any other command may wait for the device’s answer.',
      },
      control_evidenceS: {
        name: 'Verification time',
        meaning: 'How long after the device’s answer readings may verify an open or close command.',
      },
      control_inspectAfter: {
        name: 'Inspection after a trip',
        meaning:
          'After which trips a line stays open until an inspection of it is recorded. Dangerous ones are short circuit, leakage, arc, overheating and a trip of unknown cause.',
      },
      retention_readingsDays: {
        name: 'Readings',
        meaning:
          'Readings, minute values and alarm occurrences. Hourly and daily values are kept permanently.',
      },
      retention_deliveriesDays: {
        name: 'Notification records',
        meaning: 'Who was notified of an alarm, how and when.',
      },
      retention_messagesDays: {
        name: 'Messages',
        meaning: 'Messages that were read; unread ones are kept four times as long.',
      },
      map_tileUrl: {
        name: 'Street tiles',
        meaning:
          'Address of raster tiles of 256 px with {z}, {x} and {y}, https only. Empty: the product’s own map. A key in the address is not secret: everybody who is signed in can see it. An open console shows another map after it is reloaded.',
      },
      map_tileCrs: {
        name: 'Coordinates of the tiles',
        meaning:
          'The coordinate system that the tiles are drawn in. A wrong one shows places several hundred metres off.',
      },
      map_tileAttribution: {
        name: 'Source of the tiles',
        meaning: 'The source that the map names. Most providers require it.',
      },
    },
  },
};
