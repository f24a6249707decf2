/** An English text with values as `{name}`, and the same in Portuguese. */
export type Sentence = readonly [english: string, portuguese: string]
