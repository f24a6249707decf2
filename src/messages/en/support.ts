import type { Standing } from '../../domain/whereabouts.ts'

type Sentence = (destination: string, status: number | null) => string

/** Where a payment is. Pages, alarms and commands say it in these words. */
const WHERE: Readonly<Record<Standing, Sentence>> = {
  exhausted: (name) => `${name} did not accept it, and the gateway has stopped trying`,
  refused: (name, status) => `${name} does not accept it (HTTP ${status})`,
  unreached: (name) => `${name} does not answer`,
  paused: (name) => `waits: ${name} is paused`,
  stopped: (name) => `waits: ${name} accepts nothing at the moment`,
  behind: (name) => `waits for an earlier event on its way to ${name}`,
  onItsWay: (name) => `on its way to ${name}`,
  delivered: (name) => `in ${name}`,
  canceled: (name) => `not sent to ${name} any more`,
}

/** What happens next, and who must act. */
const NEXT: Readonly<Record<Standing, (destination: string) => string>> = {
  exhausted: (name) => `Who runs ${name} must correct it. Then send the payment again.`,
  refused: (name) => `The gateway tries again by itself. Who runs ${name} must correct why it answers so.`,
  unreached: (name) => `The gateway tries again by itself. Who runs ${name} must see why it does not answer.`,
  paused: (name) => `It is sent as soon as an operator resumes ${name}.`,
  stopped: (name) => `The gateway tries again by itself. Who runs ${name} must correct it.`,
  behind: () => 'It is sent behind the earlier event. There is nothing to do.',
  onItsWay: () => 'It is sent in a moment. There is nothing to do.',
  delivered: () => 'There is nothing to do.',
  canceled: () => 'There is nothing to do.',
}

export const SUPPORT = {
  where: WHERE,
  next: NEXT,
  nobody: 'no destination asked for it',
  none: 'none of your destinations asked for it',
  and: 'and',
  nextTry: 'next try',
} as const
