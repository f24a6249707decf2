/** Why an address is forbidden, where its range has a name in both languages. */
export const NETWORKS = { 'private network': 'private network', 'cloud metadata': 'cloud metadata' } as const

/** What the gateway says about forwarding. The pages fill in the values. */
export { FORWARDING_TEXTS as FORWARDING } from '../../domain/forwarding/forwarding-texts.ts'
