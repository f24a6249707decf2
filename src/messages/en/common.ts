export const COMMON = {
  signIn: 'Sign in',
  signOut: 'Sign out',
  back: 'Back',
  yes: 'yes',
  no: 'no',
  none: 'none',
  reason: 'Reason',
  pager: 'Pages of this list',
  firstPage: 'First page',
  nextPage: 'Next page',
  events: (count: number) => (count === 1 ? '1 event' : `${count} events`),
} as const
