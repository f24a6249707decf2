/** What a question to the service is for. Each purpose has a budget a day. */
export const QUESTION_PURPOSES = ['notifications', 'payment', 'registration', 'charges'] as const
export type QuestionPurpose = (typeof QUESTION_PURPOSES)[number]
