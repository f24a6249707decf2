export const LANGUAGES = ['en', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]
