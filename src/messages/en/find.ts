/** The page with the search box. */
export const FIND = {
  title: 'Find',
} as const
