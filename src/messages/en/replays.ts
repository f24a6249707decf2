/** Many past events that are delivered again. */
export const REPLAYS = {
  title: 'Replays',
  intro: 'Many past events that are delivered again, the newest replay first.',
  none: 'There is no replay.',
  id: 'Replay',
  destination: 'Destination',
  mode: 'Which events',
  modes: {
    missing: 'never delivered, failed ones included',
    failed: 'with an exhausted or canceled delivery',
    all: 'every matching event',
  },
  state: 'State',
  running: 'Running',
  toSend: 'Not sent yet',
  failed: 'Failed',
  time: 'From – to',
  sending: 'sending',
  states: { running: 'running', done: 'done', canceled: 'canceled', failed: 'failed' },
  progress: 'Progress',
  progressOf: (delivered: number, matched: number) => `${delivered} of ${matched}`,
  matched: 'Matching events at the count',
  alsoWaited: 'Left out, because their deliveries still waited',
  created: 'Deliveries created so far',
  askedBy: 'Requested by',
  operator: 'the operator',
  createdAt: 'Created',
  endedAt: 'Ended',
  why: 'Why it failed',
  filter: 'Filter',
  kinds: 'Kinds',
  kindsHint: 'None: every kind of the destination',
  environment: 'Environment',
  anyEnvironment: 'every environment of the destination',
  subject: 'Subject',
  status: 'Status',
  anyStatus: 'every status',
  otherStatus: 'Another status',
  otherStatusHint: 'As the service writes it',
  from: 'Received from',
  to: 'Received before',
  again: 'Send again',
  selected: 'Chosen events',
  selectedEvents: (count: number) => (count === 1 ? '1 event is chosen.' : `${count} events are chosen.`),
  selectedNewest: (count: number) => `The filter has more events: the newest ${count} are chosen.`,
  noneSelected: 'No event was chosen. Nothing was sent.',
  reasonMissing: 'A reason is required. Nothing was sent.',
  backToSearch: 'Back to the search',
  one: (id: string) => `Replay ${id}`,
  create: 'New replay',
  chooseDestination: 'Choose a destination',
  destinationHint: 'Its name or id.',
  count: 'Count the events',
  counted: (count: number, destination: string) =>
    count === 1
      ? `1 event would be delivered to ${destination} again. Nothing has been sent yet.`
      : `${count} events would be delivered to ${destination} again. Nothing has been sent yet.`,
  leftOut: (count: number) =>
    count === 1
      ? 'It would leave out 1 event: its delivery still waits, or an attempt is being recorded.'
      : `It would leave out ${count} events: their deliveries still wait, or an attempt is being recorded.`,
  nothingToDo: 'There is nothing to deliver: no event matches, or the deliveries of those that match still wait.',
  startAgain: 'Send again',
  onlyMissing: (count: number) =>
    count === 1 ? 'only the 1 that it does not have' : `only the ${count} that it does not have`,
  alsoDelivered: (count: number, had: number) => `all ${count}, also ${had} that it has already`,
  hasAll: (count: number) =>
    count === 1 ? 'The destination has it already.' : 'The destination has all of them already.',
  otherDestination: 'Choose another destination',
  hadEvents: (name: string, count: number, all: number) => `${name}: had ${count} of ${all}`,
  sentEach: ({
    sent,
    waiting,
    refused,
  }: {
    readonly sent: number
    readonly waiting: number
    readonly refused: number
  }) =>
    [
      sent === 1 ? '1 event is sent again.' : `${sent} events are sent again.`,
      waiting > 0 ? `${waiting} still waited anyway.` : '',
      refused > 0
        ? `${refused} were not sent: the destination has no delivery of them, or their data was removed.`
        : '',
    ]
      .filter((text) => text !== '')
      .join(' '),
  start: 'Start the replay',
  started: (id: string) => `${id} has started. Its deliveries have lower priority than new events.`,
  change: 'Change the selection',
  cancel: 'Cancel',
  cancelHint: 'Its pending deliveries are withdrawn. What was sent stays sent.',
  canceled: (id: string, underWay: number) =>
    `${id} is canceled.${underWay === 0 ? '' : ` Attempts under way, which may still arrive: ${underWay}.`}`,
  deliveries: 'Deliveries of the destination',
  reload: 'Reload',
} as const
