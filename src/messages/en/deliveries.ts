import type { DeliveryChoice, DeliveryWait } from '../../domain/delivery.ts'

const STATES: Readonly<Record<DeliveryChoice, string>> = {
  pending: 'pending',
  failing: 'failing',
  waiting: 'waiting',
  blocked: 'blocked',
  delivered: 'delivered',
  exhausted: 'exhausted',
  canceled: 'canceled',
}

/** Deliveries and their attempts. */
export const DELIVERIES = {
  title: 'Deliveries',
  states: STATES,
  none: 'No destination takes this event.',
  noneOfYours: 'You see only deliveries to destinations of your own. There is none.',
  more: (count: number) => `${count} more are not shown.`,
  all: 'All deliveries and attempts of this event',
  created: 'Created',
  ended: 'Ended',
  next: 'Next attempt',
  waits: {
    subject: 'waits for an earlier event of its subject',
    resume: 'waits: the destination is paused',
    circuit: 'waits: the destination accepts nothing at the moment',
  } satisfies Record<DeliveryWait, string>,
  reason: 'Why it ended',
  attemptsOf: (name: string) => `Attempts at ${name}`,
  allAttempts: (count: number) => `All ${count} attempts`,
  latestOf: (shown: number, all: number) => `The latest ${shown} of ${all} attempts.`,
  attempt: 'Attempt',
  started: 'Time',
  duration: 'Duration',
  status: 'Answer',
  noAnswer: 'no answer',
  answer: 'Its text',
} as const
