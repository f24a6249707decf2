/** The pages of the navigation, by the first part of their path below /playground. */
export const PAGES = [
  'start',
  'endpoints',
  'accounts',
  'charges',
  'subscriptions',
  'carnets',
  'bills',
  'openings',
  'open-banking',
  'webhooks',
  'callbacks',
  'clock',
  'faults',
] as const
export type Section = (typeof PAGES)[number]
