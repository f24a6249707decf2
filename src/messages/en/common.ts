export const COMMON = {
  signIn: 'Sign in',
  signOut: 'Sign out',
  back: 'Back',
  yes: 'yes',
  no: 'no',
  none: 'none',
  events: (count: number) => (count === 1 ? '1 event' : `${count} events`),
} as const
