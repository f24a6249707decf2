import { expect, it } from 'vitest'
import { everyCommand, nameOf } from './every-command.ts'

/** Commands that change something through endpoints, which the log of actions records. */
const CHANGING = [
  ...['alarms mute', 'alarms test', 'alarms unmute'],
  ...['clients create', 'clients revoke', 'clients rotate', 'consumers delete', 'consumers seek'],
  ...['deliveries retry', 'deliveries skip', 'destinations create', 'destinations delete', 'destinations pause'],
  ...['destinations resume', 'destinations rotate-secret', 'destinations test', 'destinations update'],
  ...['events replay', 'quarantine discard', 'quarantine release', 'replays create', 'replays delete'],
  ...[
    'service expect',
    'service reconcile',
    'storage confirm-clock',
    'storage prune',
    'storage redact',
    'storage reindex',
  ],
]

it('every command whose change the log of actions records takes --reason', async () => {
  const commands = await everyCommand()
  // Lists have a filter of that name.
  const withReason = commands.filter(({ options }) => options.some(({ flags }) => flags === '--reason <text>'))
  expect(withReason.map(nameOf).sort()).toEqual(CHANGING)
})
