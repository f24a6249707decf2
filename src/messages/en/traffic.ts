/** Callbacks and delivery attempts over time. */
export const TRAFFIC = {
  title: 'Traffic',
  intro:
    'Sums of hours since the gateway was installed, at most of 400 days. Green: accepted, or delivered. Red: failed.',
  spans: { day: 'Day', week: 'Week', quarter: '13 weeks', year: 'Year' },
  span: 'Period',
  callbacks: 'Callbacks',
  attempts: 'Delivery attempts',
  noCallbacks: 'No callback came in this time.',
  noAttempts: 'Nothing was sent in this time.',
  sum: (good: number, bad: number) => `${good} accepted, ${bad} failed`,
  attemptSum: (good: number, bad: number) => `${good} delivered, ${bad} failed`,
  highest: (count: number) => `highest bar: ${count}`,
  per: { day: 'per hour', week: 'per day', quarter: 'per week', year: 'per week' },
  numbers: 'Numbers',
  from: 'From',
  accepted: 'Accepted',
  delivered: 'Delivered',
  failed: 'Failed',
  more: 'More',
  all: 'All',
} as const
