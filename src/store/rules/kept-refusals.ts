import { REFUSED_CALLBACK_CODES } from '../../domain/refused-callbacks.ts'

/** The newest refusals are kept: per address, so that one scanner does not displace the others, and in total. */
export const KEPT_PER_ADDRESS = 1000
export const KEPT = 10_000
/** Refused callbacks of identified callers are kept apart, so that no scanner displaces them. */
export const KEPT_CALLBACKS = 1000
/** SQL: the refusal is of a callback. */
export const OF_CALLBACK = `(environment is not null and code in (${REFUSED_CALLBACK_CODES.map((code) => `'${code}'`).join()}))`
