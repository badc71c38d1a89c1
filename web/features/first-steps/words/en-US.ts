export const firstSteps = {
  title: 'First steps',
  text: 'This installation supervises nothing yet. Four steps make it useful. Each one says why it is needed, and links to the page for it.',
  over: 'All steps are done. From here on the overview shows what happens.',
  denied: 'A user who may create projects has to set up the installation.',
  progress: 'First steps: {{done}} of 4 done',
  all: 'All steps',
  done: 'done',
  step: {
    project: {
      name: 'Create a project',
      text: 'A project is a site with its own administrator, time zone and devices. The person responsible gets an account together with it.',
      act: 'Create the first project',
      see: 'Show the projects',
    },
    device: {
      name: 'Add a device',
      text: 'Enter the number on its plate and choose the project. The secret for its MQTT connection is shown once.',
      act: 'Add the first device',
      see: 'Show the devices',
    },
    online: {
      name: 'Connect the device',
      text: 'Set the server address, the device number and the secret on the device. It is online as soon as it reports.',
      act: 'Watch for its first report',
      see: 'Show the devices',
    },
    rule: {
      name: 'Choose who is notified',
      text: 'Alarms are raised by built-in limits from the first reading on. A notification rule sends them to people even when nobody looks at the console.',
      act: 'Add the first notification rule',
      see: 'Show the notification rules',
    },
  },
};
