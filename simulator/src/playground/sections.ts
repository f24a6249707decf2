/** The pages of the navigation, by the first part of their path below /playground. */
export const PAGES = ['start', 'endpoints'] as const
export type Section = (typeof PAGES)[number]
